import type { ModelComparison, RunResult, SuiteResult, TestResult } from "@kindlm/core";
import { compareModels, redactCopy, variantOf, visible, visibleLine } from "@kindlm/core/program";
import type {
  ReportActivity,
  ReportCase,
  ReportComparison,
  ReportHead,
  ReportIndex,
  ReportKind,
  ReportModel,
  ReportProvider,
  ReportStatus,
  ReportSuite,
} from "@kindlm/viewer/report-data";
import { explainDigested } from "../../errors/explain-error.js";
import { shownTrialOf, type RunFindings } from "../../findings/find-all.js";
import type { FailureKind } from "../../findings/find-kinds.js";
import { untoldReasons } from "../../findings/untold-reasons.js";
import type { ReportOptions } from "../report-options.js";
import { chunkSize } from "./embed.js";
import { changesIn } from "./report-comparison.js";
import { routingCells, routingWords } from "../routing-words.js";
import { notesOf } from "./report-notes.js";

interface IndexParts {
  findings: RunFindings;
  comparisons: readonly ReportComparison[];
  /** By the names of the providers. */
  activities: ReadonlyMap<string, ReportActivity>;
  /** What a reader must know besides what the result says. */
  notes: readonly string[];
  /** How the trials of a case ended, a letter each. */
  lettersOf(test: TestResult): string;
}

type Counts = Record<ReportStatus, number>;
type Ran = Exclude<TestResult, { status: "skipped" }>;

/** All that lists, filters and charts need, masked. */
export async function createIndex(
  result: RunResult,
  options: Pick<ReportOptions, "redact" | "digest" | "asTyped">,
  parts: IndexParts,
): Promise<ReportIndex> {
  const { asTyped = (text: string) => text } = options;
  const line = (text: string): string => visibleLine(options.redact(text));
  const compared = await compareModels(result.suites, result.run.seed);
  const models = modelsOf(result, compared);
  const tags = [...new Set(result.suites.flatMap(({ tests }) => tests.flatMap((test) => test.tags)))];
  const places = { models: placesOf(models.map(({ name }) => name)), tags: placesOf(tags) };
  const changes = changesIn(result.comparison);
  const { findings, comparisons, activities, notes, lettersOf } = parts;
  return {
    formatVersion: 1,
    head: { ...headOf(result, line), program: asTyped("kindlm"), notes: [...notesOf(result), ...notes].map(line) },
    suites: result.suites.map((suite) => suiteOf(suite, result, options)),
    models: models.map((model) => ({ ...model, name: line(model.name) })),
    ...tablesOf(result, line),
    differences: redactCopy(compared?.differences ?? [], line),
    tags: tags.map(line),
    kinds: findings.kinds.map((kind) => kindOf(kind, line)),
    causes: findings.causes.map(({ title, fix, cases }) => ({
      title: line(title),
      fix: fix.length === 0 ? null : visible(asTyped(fix.join("\n"))),
      cases: cases.length,
    })),
    gates: redactCopy(result.gates, line),
    comparisons,
    providers: result.summary.providers.map((one) => providerOf(one, activities.get(one.provider), line)),
    cases: result.suites.flatMap(({ tests }, suite) =>
      tests.map((test) => {
        const { kind, cause } = findings.facts.get(test) ?? {};
        const change = changes.get(options.redact(test.id));
        const place = {
          suite,
          model: places.models.get(variantOf(test)) ?? 0,
          tags: test.tags.map((tag) => places.tags.get(tag) ?? 0),
          trials: lettersOf(test),
          shownTrial: shownTrialOf(test, findings),
          ...(kind === undefined ? {} : { kind }),
          ...(cause === undefined ? {} : { cause }),
          ...(change === undefined ? {} : { change }),
        };
        return caseOf(test, place, line);
      }),
    ),
    chunkSize,
  };
}

/** The confusion tables; left out where there is none. */
function tablesOf({ routing = [] }: RunResult, line: (text: string) => string): Pick<ReportIndex, "tables"> {
  if (routing.length === 0) return {};
  const tables = routing.map((table) => ({
    title: line(`Routing of ${table.suite}: ${routingWords(table)}`),
    rows: routingCells(table).map((cells) => cells.map(line)),
  }));
  return { tables };
}

function headOf(result: RunResult, line: (text: string) => string): Omit<ReportHead, "notes" | "program"> {
  const { kindlm, run, verdict, exitCode, summary, warnings } = result;
  const { passRate, interval, costUsd, usage, latencyMs, requests, retries } = summary;
  const { git } = run;
  return {
    kindlm,
    runId: run.id,
    project: run.project === null ? null : line(run.project),
    startedAt: run.startedAt,
    durationMs: run.durationMs,
    verdict,
    exitCode,
    reasons: untoldReasons(result).map(line),
    isInterrupted: run.interrupted,
    seed: run.seed,
    git: git === null ? null : { ...git, branch: git.branch === null ? null : line(git.branch) },
    counts: countsOf(summary),
    passRate,
    interval,
    costUsd,
    usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens },
    latencyMs,
    requests,
    retries,
    warnings: warnings.map(({ message, hint, position }) => ({
      message: line(message),
      hint: hint === undefined ? null : line(hint),
      position: position === undefined ? null : line(`${position.file}:${position.line}`),
    })),
  };
}

function countsOf({ passed, failed, errored, skipped }: Counts): Counts {
  return { passed, failed, errored, skipped };
}

function suiteOf(suite: SuiteResult, result: RunResult, { redact, digest }: Pick<ReportOptions, "redact" | "digest">) {
  const summary = result.suiteSummaries.find((one) => one.suite === suite.name);
  const described: ReportSuite = {
    name: visibleLine(redact(suite.name)),
    counts: summary === undefined ? { passed: 0, failed: 0, errored: 0, skipped: 0 } : countsOf(summary),
    passRate: summary?.passRate ?? null,
    interval: summary?.interval ?? null,
    costUsd: summary?.costUsd ?? null,
    latencyMs: summary?.latencyMs ?? null,
    error: null,
  };
  if (suite.status === "run") return described;
  const words = explainDigested(
    suite.error,
    { verbose: false, ...(digest === undefined ? {} : { digest }) },
    suite.diagnostics,
  );
  const error = words.flatMap(({ title, fix }) => (fix === undefined ? [title] : [title, fix])).join("\n");
  return { ...described, error: visible(redact(error)) };
}

/** The models and prompts of a run, those too that ran nothing. */
function modelsOf({ suites, summary }: RunResult, compared: ModelComparison | null): readonly ReportModel[] {
  const tests = suites.flatMap((suite) => suite.tests);
  const ran = tests.filter((test): test is Ran => test.status !== "skipped");
  const [only] = ran;
  const known: ReportModel[] =
    compared?.variants.map(({ name, cases, passed, errored, meanRate, costUsd, latencyMs }) => {
      const { mean: rate = null, interval = null } = meanRate ?? {};
      return { name, cases, passed, errored, rate, interval, costUsd, latencyMs };
    }) ??
    (only === undefined
      ? []
      : [
          {
            name: variantOf(only),
            cases: ran.length,
            passed: summary.passed,
            errored: summary.errored,
            rate: summary.meanRate?.mean ?? null,
            interval: summary.meanRate?.interval ?? null,
            costUsd: summary.costUsd,
            latencyMs: ran.reduce((sum, { latencyMs }) => sum + latencyMs, 0) / ran.length,
          },
        ]);
  const names = new Set(known.map(({ name }) => name));
  const idle = [...new Set(tests.map(variantOf))].filter((name) => !names.has(name));
  const nothing = { cases: 0, passed: 0, errored: 0, rate: null, interval: null, costUsd: 0, latencyMs: 0 };
  return [...known, ...idle.map((name) => ({ name, ...nothing }))];
}

function placesOf(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, place) => [name, place]));
}

function providerOf(
  { provider, requests, errors, limiter }: RunResult["summary"]["providers"][number],
  activity: ReportActivity | undefined,
  line: (text: string) => string,
): ReportProvider {
  return { name: line(provider), requests, errors, rateLimits: limiter?.rateLimits ?? 0, activity: activity ?? null };
}

type Placed = "suite" | "model" | "tags" | "trials" | "shownTrial" | "kind" | "cause" | "change";

function caseOf(test: TestResult, place: Pick<ReportCase, Placed>, line: (text: string) => string): ReportCase {
  const { position, critical } = test;
  const reason = test.status === "skipped" ? test.reason : test.allowFailure;
  return {
    id: line(test.id),
    ...place,
    test: line(test.name),
    status: test.status,
    ...(test.status === "skipped"
      ? { passes: 0, required: 0, counted: 0, latencyMs: 0, costUsd: 0 }
      : {
          passes: test.passes,
          required: test.required,
          counted: test.counted,
          latencyMs: Math.round(test.latencyMs),
          costUsd: test.costUsd,
          ...(test.status === "passed" && test.mixed ? { isFlaky: true } : {}),
        }),
    position: position === null ? null : line(`${position.file}:${position.line}`),
    ...(critical ? { isCritical: true } : {}),
    ...(reason === null ? {} : { reason: line(reason) }),
  };
}

/** Such as `tool_called, user turn 2 · kindlm.yaml:94`. */
function kindOf({ title, note, assertion, position, cases }: FailureKind, line: (text: string) => string): ReportKind {
  const { type = "threshold", id = null, userTurn = null } = assertion ?? {};
  const check = [
    id === null ? type : `${type} ${id}`,
    ...(userTurn === null ? [] : [`user turn ${userTurn}`]),
    ...(note === null ? [] : [note]),
  ].join(", ");
  const place = position === null ? [] : [`${position.file}:${position.line}`];
  return { title: line(title), where: [check, ...place].map(line).join(" · "), cases: cases.length };
}
