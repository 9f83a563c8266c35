import type { ParsedAssertion, ParsedCheck } from "../assertions/parsed-assertion.js";
import type { ResolvedConfig } from "../config/resolved-config.js";
import type { ResolvedModel } from "../config/resolved-model.js";
import { kindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase, RunPlan } from "../plan/run-plan.js";
import { failure, success, type Result } from "../result.js";
import { isRecord } from "../values/json.js";
import { didYouMean } from "../values/nearest-name.js";
import type { CalibrateOptions } from "./calibrate-options.js";

/** What is asked, and who is asked. */
export interface CalibrationTask {
  /** Options of a judge assertion, as they are written. `criteria` may be missing where the labels have their own. */
  options: Readonly<Record<string, unknown>>;
  judge: ResolvedModel;
  /** A case whose deadlines and limits hold. */
  base: PlannedCase;
}

/** What is calibrated: the judge assertion of a test, with what `options` put in its place, or what they say alone. */
export function findTask(config: ResolvedConfig, plan: RunPlan, options: CalibrateOptions): Result<CalibrationTask> {
  const found = options.test === undefined ? firstCase(plan) : findAssertion(plan, options.test, options.assertion);
  if (!found.success) return found;
  const { base, check } = found.data;
  const judge = judgeOf(config, options.model, base, check);
  if (!judge.success) return judge;
  const { model: _model, ...written } = isRecord(check?.options) ? check.options : {};
  const { criteria, threshold, samples } = options;
  return success({
    judge: judge.data,
    base,
    options: {
      ...written,
      ...(criteria === undefined ? {} : { criteria }),
      ...(threshold === undefined ? {} : { threshold }),
      ...(samples === undefined ? {} : { samples }),
    },
  });
}

interface FoundAssertion {
  base: PlannedCase;
  check: ParsedCheck | null;
}

function firstCase(plan: RunPlan): Result<FoundAssertion> {
  for (const base of plan.cases()) return success({ base, check: null });
  return problem("The config has no test", "Add one, or choose another config with -c");
}

function findAssertion(plan: RunPlan, name: string, id: string | undefined): Result<FoundAssertion> {
  const found = caseOf(plan, name);
  if (!found.success) return found;
  const base = found.data;
  const rendered = base.render();
  if (!rendered.success) return rendered;
  const { assertions, retries = [] } = rendered.data;
  const all = [...assertions, ...retries.flatMap((retry) => retry?.assertions ?? [])].flatMap(judgesIn);
  const named = id === undefined ? all : all.filter((check) => check.id === id);
  const [check] = named;
  if (check !== undefined && named.length === 1) return success({ base, check });
  const ids = all.flatMap((one) => one.id ?? []);
  if (all.length === 0)
    return problem(`The test "${name}" has no judge assertion`, "Remove --test, and add --criteria");
  if (id === undefined) {
    const hint =
      ids.length === 0
        ? "Give each an id, and name one with --assertion"
        : `Name one with --assertion: ${ids.join(", ")}`;
    return problem(`The test "${name}" has ${all.length} judge assertions`, hint);
  }
  const hint = didYouMean(id, ids) ?? (ids.length === 0 ? "None has an id" : `Available: ${ids.join(", ")}`);
  return problem(`The test "${name}" has ${named.length === 0 ? "no" : "more than one"} judge assertion "${id}"`, hint);
}

function caseOf(plan: RunPlan, name: string): Result<PlannedCase> {
  const byName = new Map<string, PlannedCase>();
  const byKey = new Map<string, PlannedCase>();
  const ambiguous = new Set<string>();
  for (const planned of plan.cases()) {
    const { suite, test } = planned;
    const key = `${suite}/${test.name}`;
    if (byKey.has(key)) continue;
    byKey.set(key, planned);
    if (byName.has(test.name)) ambiguous.add(test.name);
    byName.set(test.name, planned);
  }
  const found = byKey.get(name) ?? (ambiguous.has(name) ? undefined : byName.get(name));
  if (found !== undefined) return success(found);
  if (ambiguous.has(name)) return problem(`The test "${name}" is in several suites`, `Write suite/${name}`);
  const known = [...byKey.keys(), ...byName.keys()];
  return problem(`Test "${name}" not found`, didYouMean(name, known) ?? "kindlm test --list shows all of them");
}

function judgesIn(parsed: ParsedAssertion): readonly ParsedCheck[] {
  if (parsed.form === "group") return parsed.members.flatMap(judgesIn);
  return parsed.type === "judge" ? [parsed] : [];
}

function judgeOf(
  { models }: ResolvedConfig,
  wanted: string | undefined,
  base: PlannedCase,
  check: ParsedCheck | null,
): Result<ResolvedModel> {
  if (wanted !== undefined) {
    const found = models.find(wanted);
    return found.success ? found : problem(found.error.message, found.error.hint);
  }
  const reference = check?.references.find(({ kind }) => kind === "judge");
  const named = reference?.kind === "judge" ? base.judges.get(reference.model)?.models[0].model : null;
  const judge = named ?? models.judge;
  if (judge !== null) return success(judge);
  return problem("No judge is set", "Give --model <model>, or add judge: <model> to defaults");
}

function problem(message: string, hint: string | undefined): Result<never> {
  const found = { code: "CONFIG_VALIDATION_ERROR" as const, severity: "error" as const, message };
  const diagnostics = [hint === undefined ? found : { ...found, hint }];
  return failure(kindlmError("CONFIG_VALIDATION_ERROR", message, { details: { diagnostics } }));
}
