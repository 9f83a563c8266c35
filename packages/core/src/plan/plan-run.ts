import { addCases, maxRunsOf, trialCounts } from "./max-runs.js";
import type { DatasetRow, PromptVariant, ReadySuite, ResolvedConfig, ResolvedTest } from "../config/resolved-config.js";
import type { ResolvedModel } from "../config/resolved-model.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import { failure, success, type Result } from "../result.js";
import type { RunSessions, RunTestsOptions } from "./run-options.js";
import type { FaultVariant } from "../tools/faults/fault.js";
import { unmetPatterns } from "./case-filter.js";
import { renderCaseId } from "./case-id.js";
import { namesOf, patternsLike, selectCases, type CaseSelection } from "./case-selection.js";
import { planBrokenSuite } from "./plan-broken-suite.js";
import { createModelPlanner, planAuxiliary, planDelegates } from "./model-planner.js";
import { renderCase } from "./render-case.js";
import type { PlannedBrokenSuite, PlannedCase, PlannedSuite, RunPlan } from "./run-plan.js";

/**
 * Joins config and options into the plan of a run. `sessions`: of a run that goes on. Fails when a filter names what does not
 * exist.
 */
export function planRun(
  config: ResolvedConfig,
  options: RunTestsOptions,
  sessions: RunSessions | null = null,
): Result<RunPlan> {
  const selected = selectCases(options.filters ?? {}, namesOf(config), sessions);
  if (!selected.success) return selected;
  const selection = selected.data;
  const onlyMarked = config.suites.some((suite) => suite.status === "ready" && suite.tests.some((test) => test.only));
  const planner: Planner = { config, options, selection, onlyMarked };
  const suites: (PlannedSuite | PlannedBrokenSuite)[] = [];
  let caseCount = 0;
  const counts = { trialCount: 0, maxTrialCount: 0 };
  for (const suite of config.suites) {
    if (!selection.hasSuite(suite.name)) continue;
    if (suite.status === "broken") {
      suites.push(planBrokenSuite(suite, selection));
      continue;
    }
    const inSuite = addCases(counts, casesOfSuite(suite, planner, 0));
    if (inSuite === 0) continue;
    caseCount += inSuite;
    suites.push({ status: "ready", name: suite.name, file: suite.file, caseCount: inSuite, source: suite });
  }
  const refused = refuseUnmet(suites, planner);
  if (refused !== null) return failure(refused);
  const gates = options.gatePassRate === undefined ? config.gates : { ...config.gates, passRate: options.gatePassRate };
  return success({
    project: config.project,
    files: config.files,
    root: config.root,
    suites,
    caseCount,
    ...trialCounts(counts),
    concurrency: options.concurrency ?? config.concurrency,
    seed: options.seed ?? config.seed,
    bail: options.bail ?? null,
    maxCostUsd: options.maxCostUsd ?? config.maxCostUsd,
    runTimeoutMs: config.runTimeoutMs,
    gates,
    exitOn: options.gatePassRate === undefined ? config.exitOn : "gates",
    comparison: { ...config.comparison, sees: onlyMarked ? null : selection.patterns },
    warnings: config.warnings,
    *cases() {
      let index = 0;
      for (const suite of suites) {
        if (suite.status === "broken") continue;
        for (const planned of casesOfSuite(suite.source, planner, index)) {
          index += 1;
          yield planned;
        }
      }
    },
  });
}

/** Why the run cannot be what was asked for: some patterns meet no case. Null if they do, or nobody knows. */
function refuseUnmet(
  suites: readonly (PlannedSuite | PlannedBrokenSuite)[],
  { config, selection }: Planner,
): KindlmError | null {
  const unmet = selection.unmet();
  if (unmet.length === 0) return null;
  // What cannot be read may hold what is looked for.
  const unknown = new Set(config.suites.filter(({ tests }) => tests.length === 0).map(({ name }) => name));
  return suites.some(({ name }) => unknown.has(name)) ? null : unmetPatterns(unmet, () => patternsLike(config));
}

interface Planner {
  config: ResolvedConfig;
  options: RunTestsOptions;
  selection: CaseSelection;
  /** Some test says `only: true`. */
  onlyMarked: boolean;
}

function* casesOfSuite(suite: ReadySuite, planner: Planner, firstIndex: number): Generator<PlannedCase> {
  let index = firstIndex;
  for (const arms of testsByArm(suite)) {
    // One case of each arm after the other, so that what changes in the course of a run meets all of them.
    for (const planned of alternately(arms.map((test) => casesOfTest(suite, test, planner)))) {
      planned.index = index;
      yield planned;
      index += 1;
    }
  }
}

/** The tests of a suite, each with all of its arms. */
function* testsByArm({ tests, arms }: ReadySuite): Generator<readonly ResolvedTest[]> {
  const size = arms?.length ?? 1;
  for (let first = 0; first < tests.length; first += size) yield tests.slice(first, first + size);
}

/** The next value of each, in turn, until none has any. */
function* alternately<T>(sources: readonly Generator<T>[]): Generator<T> {
  const [only, ...others] = sources;
  if (only !== undefined && others.length === 0) {
    yield* only;
    return;
  }
  for (let open = sources; open.length > 0;) {
    const left: Generator<T>[] = [];
    for (const source of open) {
      const next = source.next();
      if (next.done === true) continue;
      left.push(source);
      yield next.value;
    }
    open = left;
  }
}

function* casesOfTest(suite: ReadySuite, test: ResolvedTest, planner: Planner): Generator<PlannedCase> {
  const { selection, onlyMarked } = planner;
  if ((onlyMarked && !test.only) || !selection.hasTest(suite.name, test.tags)) return;
  const { arm = null } = test;
  for (const model of modelsOf(test)) {
    const agentId = agentIdOf(test, model);
    if (!selection.hasAgent(agentId)) continue;
    const shared = sharedParts(suite, test, model, planner);
    for (const [row, prompt, fault] of variantsOf(test)) {
      const rowKey = row?.key ?? null;
      const name = {
        suite: suite.name,
        test: test.name,
        row: rowKey,
        model: agentId,
        prompt: prompt.id,
        fault: fault.id,
        arm: null,
      };
      const lotId = renderCaseId(name);
      const id = arm === null ? lotId : renderCaseId({ ...name, arm });
      const place = { suite: suite.name, tags: test.tags, agent: agentId, id };
      if (!selection.has(place)) continue;
      const planned = toCase(shared, id, row, prompt, fault);
      if (arm !== null) planned.lotId = lotId;
      if (selection.leavesOut(place)) planned.leftOut = leftOutText;
      yield planned;
    }
  }
}

/** Why a case of an earlier session was not started in this one. */
export const leftOutText = "the filters exclude it";

/** Written out rather than spread: this is done once per case of a run that may have very many. */
function toCase(
  shared: SharedParts,
  id: string,
  row: DatasetRow | null,
  prompt: PromptVariant,
  fault: FaultVariant,
): PlannedCase {
  const planned: PlannedCase = {
    id,
    // Numbered where it takes its place among the others.
    index: 0,
    suite: shared.suite,
    test: shared.test,
    agentId: shared.agentId,
    model: shared.model,
    prompt,
    row,
    fault,
    runs: shared.runs,
    required: shared.required,
    params: shared.params,
    limits: shared.limits,
    timeouts: shared.timeouts,
    fallbacks: shared.fallbacks,
    simulator: shared.simulator,
    judges: shared.judges,
    embedders: shared.embedders,
    skip: shared.skip,
    render: () => renderCase(shared.test, prompt, row, fault),
  };
  if (shared.maxRuns !== undefined) planned.maxRuns = shared.maxRuns;
  if (shared.delegates !== undefined) planned.delegates = shared.delegates;
  return planned;
}

function* variantsOf(test: ResolvedTest): Generator<readonly [DatasetRow | null, PromptVariant, FaultVariant]> {
  for (const row of test.rows ?? [null]) {
    for (const prompt of test.prompts) {
      for (const fault of test.faultVariants) yield [row, prompt, fault];
    }
  }
}

type SharedParts = Omit<PlannedCase, "id" | "index" | "row" | "prompt" | "fault" | "render">;

/** A target that asks no model of the config has one case where others have one for each model. */
function modelsOf(test: ResolvedTest): readonly (ResolvedModel | null)[] {
  return test.target?.proxy === false ? [null] : test.models;
}

function agentIdOf({ target }: ResolvedTest, model: ResolvedModel | null): string {
  return model?.id ?? target?.id ?? "";
}

function sharedParts(
  suite: ReadySuite,
  test: ResolvedTest,
  model: ResolvedModel | null,
  planner: Planner,
): SharedParts {
  const { config, options } = planner;
  const runs = options.runs ?? test.runs;
  const { planModel, planRoute, timeoutsFor } = createModelPlanner(test, config, options);
  const user = test.simulatedUser?.model;
  return {
    suite: suite.name,
    test,
    agentId: agentIdOf(test, model),
    ...(model === null ? { model, params: {}, timeouts: timeoutsFor(null) } : planModel(model)),
    fallbacks: model?.allowsFallback === true ? model.fallback.map(planModel) : [],
    simulator: user === undefined ? null : planRoute(user),
    judges: planAuxiliary(test.judges, planRoute),
    embedders: planAuxiliary(test.embedders, planRoute),
    ...(test.agents === undefined ? {} : { delegates: planDelegates(test.agents, planRoute) }),
    runs,
    ...maxRunsOf(test, runs, options),
    // A number of runs from the command line keeps the share of passes that the test asks for.
    required: test.pass === null ? runs : Math.min(runs, Math.max(1, Math.ceil((test.pass * runs) / test.runs))),
    limits: test.limits,
    skip: test.skip,
  };
}
