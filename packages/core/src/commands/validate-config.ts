import type { ParsedAssertion } from "../assertions/parsed-assertion.js";
import { loadConfig } from "../config/load-config.js";
import type { ProjectPlace } from "../config/locate-root.js";
import type { ResolvedConfig, ResolvedSuite } from "../config/resolved-config.js";
import { completeEnvironment, type Environment, type World } from "../run/environment.js";
import type { Diagnostic } from "../errors/error-table.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import { warnOfUncovered } from "../verdict/warn-of-uncovered.js";
import { planRun } from "../plan/plan-run.js";
import type { RenderedCase } from "../plan/run-plan.js";
import { success, type Result } from "../result.js";
import { isRecord, type JsonObject } from "../values/json.js";

export interface ValidateConfigOptions extends ProjectPlace {
  /** In CI, `only: true` is an error. */
  ci?: boolean;
}

export interface ValidatedSuite {
  name: string;
  status: "ready" | "broken";
  tests: number;
  cases: number;
  trials: number;
  /** With all that may be run to decide the comparison with the baseline; absent if no more than `trials`. */
  maxTrials?: number;
  /** The tools whose arguments the config describes, with the JSON Schema that short parameters mean. */
  tools?: readonly { name: string; parameters: JsonObject }[];
}

/** What `validate` finds out without calling any model. */
export interface ValidationReport {
  files: readonly string[];
  /** Errors and warnings, in the order of the files. */
  diagnostics: readonly Diagnostic[];
  suites: readonly ValidatedSuite[];
  /** The plugins that a run loads, in their order; absent when there are none. */
  plugins?: readonly { name: string; module: string; hooks: readonly string[] }[];
  /** The fewest requests to models that a run makes: one per trial and user message. */
  modelCalls: number;
  /** The same with all trials that may be run to decide comparisons; absent if no more than `modelCalls`. */
  maxModelCalls?: number;
}

/**
 * Checks configs as far as that goes without a model: everything that `runTests` checks, and every case with its
 * placeholders filled in. Fails where a run would not start at all.
 */
export async function validateConfig(
  options: ValidateConfigOptions,
  environment: Environment = {},
): Promise<Result<ValidationReport>> {
  const world = completeEnvironment(environment);
  const loaded = await loadConfig({ ...options, ci: options.ci ?? false }, world);
  if (!loaded.success) return loaded;
  const config = loaded.data;
  const planned = planRun(config, {});
  if (!planned.success) return planned;
  const plugins = await listPlugins(config, world);
  if (!plugins.success) return plugins;
  const counts = new Map<string, { cases: number; trials: number; maxTrials: number }>();
  const rowProblems = new Map<string, Diagnostic>();
  let [modelCalls, maxModelCalls] = [0, 0];
  for (const { suite, skip, runs, maxRuns = runs, render, id, model, simulator } of planned.data.cases()) {
    const count = counts.get(suite) ?? { cases: 0, trials: 0, maxTrials: 0 };
    const [trials, most] = skip === null ? [runs, maxRuns] : [0, 0];
    counts.set(suite, { cases: count.cases + 1, trials: count.trials + trials, maxTrials: count.maxTrials + most });
    const rendered = render();
    if (rendered.success) {
      const calls = fewestCalls(rendered.data, model !== null, simulator !== null) + askingCalls(rendered.data);
      modelCalls += trials * calls;
      maxModelCalls += most * calls;
    } else {
      for (const problem of problemsOfCase(rendered.error, id)) {
        const { file = "", line = 0 } = problem.position ?? {};
        rowProblems.set(`${file}:${line}:${problem.message}`, problem);
      }
    }
  }
  return success({
    files: config.files,
    diagnostics: inFileOrder([...diagnosticsOf(config), ...warnOfUncovered(planned.data), ...rowProblems.values()]),
    suites: config.suites.map((suite) => ({
      name: suite.name,
      status: suite.status,
      tests: new Set(suite.tests.map(({ name }) => name)).size,
      ...countsOf(counts.get(suite.name)),
      ...describedTools(suite),
    })),
    ...(plugins.data.length === 0 ? {} : { plugins: plugins.data }),
    modelCalls,
    ...(maxModelCalls === modelCalls ? {} : { maxModelCalls }),
  });
}

function countsOf(counted?: {
  cases: number;
  trials: number;
  maxTrials: number;
}): Pick<ValidatedSuite, "cases" | "trials" | "maxTrials"> {
  const { cases, trials, maxTrials } = counted ?? { cases: 0, trials: 0, maxTrials: 0 };
  return { cases, trials, ...(maxTrials === trials ? {} : { maxTrials }) };
}

function describedTools(suite: ResolvedSuite): Pick<ValidatedSuite, "tools"> {
  const configs = suite.status === "ready" ? (suite.tests[0]?.tools ?? []) : [];
  const tools = configs.flatMap((tool) => {
    if (tool.kind === "builtin") return [];
    const { parameters } = tool.kind === "module" ? tool.overrides : tool;
    return tool.name === null || parameters === undefined ? [] : [{ name: tool.name, parameters }];
  });
  return tools.length === 0 ? {} : { tools };
}

/** What one trial takes at least: an answer per user message, and the messages that a model has to write. */
function fewestCalls({ userTurns, simulatedUser }: RenderedCase, asksModel: boolean, isSimulated: boolean): number {
  const written = userTurns.length;
  const answers = asksModel ? Math.max(1, written) : 0;
  if (!isSimulated) return asksModel ? written : 0;
  // Unless the answer itself may end it, the user is called at least once again.
  return answers + (written === 0 ? 1 : 0) + (simulatedUser?.stop === null ? 1 : 0);
}

/** One for each question that must be asked: one for every sample, and none where `when` may skip it. */
function askingCalls({ assertions, retries = [] }: RenderedCase): number {
  const approving = retries.flatMap((retry) => retry?.assertions ?? []);
  return [...assertions, ...approving].reduce((sum, parsed) => sum + questionsOf(parsed), 0);
}

function questionsOf(parsed: ParsedAssertion): number {
  if (parsed.when !== null) return 0;
  if (parsed.form === "group") return parsed.members.reduce((sum, member) => sum + questionsOf(member), 0);
  const kinds = parsed.references.map(({ kind }) => kind);
  // Without a baseline there is nothing to ask about.
  if (kinds.includes("baseline_answer") || !kinds.some((kind) => kind === "judge" || kind === "embedder")) return 0;
  const { options } = parsed;
  return isRecord(options) && typeof options["samples"] === "number" ? options["samples"] : 1;
}

/** The plugins are loaded, which is the only way to know them, but not set up. */
async function listPlugins(
  config: ResolvedConfig,
  world: World,
): Promise<Result<NonNullable<ValidationReport["plugins"]>>> {
  if (config.plugins.length === 0) return success([]);
  const { createPluginLoader } = await import("../plugins/create-plugin-loader.js");
  const { loadPlugins } = await import("../plugins/load-plugins.js");
  const { hooksOf } = await import("../plugins/loaded-plugin.js");
  const modules = world.openModules();
  const { clock } = world;
  const signal = world.signal ?? new AbortController().signal;
  const loaded = await loadPlugins(config.plugins, { loadPlugin: createPluginLoader(modules), clock, signal });
  await modules.close();
  if (!loaded.success) return loaded;
  return success(
    loaded.data.map(({ plugin, entry }) => ({ name: plugin.name, module: entry.written, hooks: hooksOf(plugin) })),
  );
}

function problemsOfCase(error: KindlmError, caseId: string): readonly Diagnostic[] {
  const inCase = { referencedIn: `case ${caseId}` };
  const diagnostics = error.code === "CONFIG_VALIDATION_ERROR" ? error.details?.diagnostics : undefined;
  if (diagnostics !== undefined) return diagnostics.map((diagnostic) => ({ ...diagnostic, ...inCase }));
  return [{ code: "CONFIG_VALIDATION_ERROR", severity: "error", message: error.message, ...inCase }];
}

function diagnosticsOf(config: ResolvedConfig): readonly Diagnostic[] {
  const broken = config.suites.flatMap((suite) => (suite.status === "broken" ? suite.diagnostics : []));
  // What is wrong with a file concerns each of its suites.
  return [...new Set([...broken, ...config.warnings])];
}

/** The files stay in the order in which they first appear; what has no place comes first. */
function inFileOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const files = [...new Set(diagnostics.map(({ position }) => position?.file))];
  const rank = ({ position }: Diagnostic): readonly number[] =>
    position === undefined ? [-1, 0, 0] : [files.indexOf(position.file), position.line, position.column];
  return diagnostics
    .map((diagnostic) => ({ diagnostic, rank: rank(diagnostic) }))
    .toSorted((a, b) => a.rank.map((value, index) => value - (b.rank[index] ?? 0)).find((value) => value !== 0) ?? 0)
    .map(({ diagnostic }) => diagnostic);
}
