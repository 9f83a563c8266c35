import type { AssertionResult } from "../assertions/assertion-result.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase, RunPlan } from "../plan/run-plan.js";
import { success } from "../result.js";
import { createNameKeeper } from "./create-name-keeper.js";
import { createBudget } from "../resilience/budget.js";
import { renderDuration } from "../values/duration.js";
import { createEndpoints } from "./create-endpoints.js";
import { createToolOpener } from "./create-tool-opener.js";
import { RunTally } from "./summary/run-tally.js";
import { unstartedTrial } from "./empty-trial.js";
import type { EarlierTrial, EnginePorts, RecordedTrial, TrialOrigin } from "./ports.js";
import { CaseProgress, skippedResult } from "./run-case.js";
import type { FreshTrials, SuiteResult, TestResult, TrialResult } from "./run-result.js";
import type { RunTotals, SuiteTotals } from "../summary/run-totals.js";
import { readAs, rescoreTrial } from "./earlier/rescore-trial.js";
import { runTrial } from "./run-trial.js";
import type { TrialWorld } from "./trial-world.js";
import { suiteOfCase } from "./summary/suite-of-case.js";
import { pendingTrials } from "./pending-trials.js";
import { createTrialKeeper } from "./create-trial-keeper.js";
import { createTrialWaves } from "./trial-waves.js";
import { tryAgain, withFresh, type MadeTrial } from "./confirmation/try-again.js";
import { takeEarlier } from "./earlier/take-earlier.js";
import { schedule } from "./schedule.js";
import { createAgentGateway } from "../targets/gateway/create-gateway.js";
import { collectSuites } from "./summary/collect-suites.js";
import { createDeadlines, type StopSwitch } from "./trial-deadline.js";
import { trialOrError } from "./within-trial.js";

type Unscored = EarlierTrial | RecordedTrial;

/** What the engine found out, before gates and verdict. */
export interface EngineOutcome {
  suites: readonly SuiteResult[];
  totals: RunTotals;
  /** Of the suites that have a trial. */
  suiteTotals: ReadonlyMap<string, SuiteTotals>;
  /** Ids of the cases that ran, in the order of the config. */
  ranCases: readonly string[];
  /** What stopped the run before its end; null when it went through. */
  stoppedBy: KindlmError | null;
  /** Why the last cases were not dispatched: `--bail`, or the money; null when all were. */
  haltedBy: string | null;
  /** Why finished trials could not be kept on the disk; null when they could. */
  storeError: KindlmError | null;
}

/** Runs every case of the plan. Never rejects; a store that fails is reported once and the run goes on. */
export async function run(
  plan: RunPlan,
  runId: string,
  ports: EnginePorts,
  stop: StopSwitch,
  assertions: TrialWorld["assertions"],
): Promise<EngineOutcome> {
  const collected = collectSuites(plan, ports.emit);
  const tally = new RunTally();
  const keeper = createTrialKeeper(ports);
  const ranCases: string[] = [];
  const endpoints = createEndpoints(plan, ports);
  const tools = createToolOpener(ports);
  const budget = createBudget(plan.maxCostUsd, endpoints.release);
  const gateway = createAgentGateway();
  let unsuccessful = 0;
  let halt: string | null = null;
  let unfinished: string | null = null;

  const world: TrialWorld = {
    clock: ports.clock,
    runId,
    seed: plan.seed,
    openDeadline: createDeadlines(ports.clock, stop),
    emit: ports.emit,
    assertions,
    targets: { ...ports, gateway },
    routeOf: endpoints.routeOf,
    routeThrough: endpoints.routeThrough,
    budget,
    baselineAnswers: ports.baselineAnswers ?? null,
    tools,
  };

  /** Why no further trial is started; null while the run goes on. */
  const whyHalted = (): string | null => {
    if (stop.stopped !== null) return reasonOf(stop.stopped);
    if (plan.bail !== null && unsuccessful >= plan.bail) halt ??= `stopped after ${unsuccessful} unsuccessful (--bail)`;
    halt ??= budget.refusal()?.message ?? null;
    return halt;
  };

  /** Why a trial that is missing is not run now; null when it is. */
  const leaveOut = ({ leftOut }: PlannedCase): string | null => {
    if (leftOut === undefined) return null;
    unfinished ??= "the filters of this session leave out cases that the run has not finished";
    return leftOut;
  };

  const count = (result: TestResult): void => {
    const counts = result.status === "errored" || (result.status === "failed" && result.allowFailure === null);
    if (counts) unsuccessful += 1;
  };

  const conclude = (planned: PlannedCase, result: TestResult, found: readonly AssertionResult[] = []): void => {
    count(result);
    collected.add(planned, result, found);
  };

  const keepName = createNameKeeper();
  const isReplay = ports.cassette?.isReplay === true;
  const resultOf = (progress: CaseProgress): TestResult =>
    progress.toResult(ports.identify(progress.planned), isReplay, keepName);

  const keep = (progress: CaseProgress, { trial, origin }: MadeTrial): Promise<void> => {
    const { planned } = progress;
    tally.add(trial, planned.suite);
    const concluded = progress.finish(trial) || progress.endEarly() ? resultOf(progress) : null;
    if (concluded === null) return keeper.keep(trial, planned, origin);
    count(concluded);
    return keeper.keep(trial, planned, origin, () => collected.add(planned, concluded, progress.assertions));
  };

  const takeOver = ({ suite, id }: PlannedCase, trial: TrialResult, tallyUp = tally.add.bind(tally)): void => {
    tallyUp(trial, suite);
    const { status, costUsd } = trial;
    const ref = { suite, caseId: id, trial: trial.trial };
    ports.emit({ channel: "progress", type: "trial:carried", ...ref, status, costUsd });
  };

  const make = async (progress: CaseProgress, trial: number, earlier?: Unscored): Promise<MadeTrial> => {
    const { planned } = progress;
    let origin: TrialOrigin = "run";
    const made = await trialOrError({ planned, trial, runId }, async () => {
      const rendered = progress.rendered();
      if (!rendered.success) return unstartedTrial(planned.id, trial, rendered.error);
      if (earlier === undefined) return runTrial(planned, rendered.data, trial, world);
      const read = "read" in earlier ? earlier.read(rendered.data) : success(readAs(earlier));
      if (!read.success) return unstartedTrial(planned.id, trial, read.error);
      origin = "rescore";
      return rescoreTrial(planned, rendered.data, read.data, world);
    });
    return { trial: made, origin };
  };

  const runOne = async (progress: CaseProgress, trial: number, earlier?: Unscored): Promise<void> =>
    keep(progress, await make(progress, trial, earlier));

  /** What fresh trials of the suspects come to, where there are any. */
  const confirm = async (): Promise<ReadonlyMap<string, FreshTrials>> => {
    const isHalted = (): boolean => whyHalted() !== null;
    const suspects = stop.stopped === null ? ((await ports.findSuspects?.(collected.finish())) ?? []) : [];
    // Where nothing is left to run, nothing is left out.
    if (suspects.length === 0 || isHalted()) return new Map();
    // They are paid for; what the run came to, its scores and tool errors too, is that of the others.
    const keepFresh = ({ trial, origin }: MadeTrial, planned: PlannedCase): Promise<void> => {
      tally.addSpent(trial, planned.suite);
      return keeper.keep(trial, planned, origin);
    };
    const takeFresh = (planned: PlannedCase, trial: TrialResult): void =>
      takeOver(planned, trial, tally.addSpent.bind(tally));
    const { earlier, emit } = ports;
    return tryAgain(suspects, { plan, earlier, emit, isHalted, make, keep: keepFresh, takeOver: takeFresh });
  };

  const end = (progress: CaseProgress): void => conclude(progress.planned, resultOf(progress), progress.assertions);
  const waves = createTrialWaves(() => whyHalted() !== null, end);

  function* tasks(): Generator<(() => Promise<void>) | null> {
    for (const planned of plan.cases()) {
      yield* waves.ready();
      const earlier = takeEarlier(planned, ports.earlier);
      const reason = planned.skip ?? (earlier.size === 0 ? (whyHalted() ?? leaveOut(planned)) : null);
      if (reason !== null) {
        conclude(planned, skippedResult(planned, reason));
        continue;
      }
      const progress = new CaseProgress(planned);
      ranCases.push(planned.id);
      collected.started(planned);
      for (const stored of earlier.values()) {
        if (!stored.isScored) continue;
        const { trial } = stored;
        takeOver(planned, trial);
        progress.finish(trial);
      }
      if (progress.isOver || progress.endEarly()) {
        end(progress);
        continue;
      }
      const pending = pendingTrials(progress, earlier, runOne);
      if (progress.mayEndEarly && planned.leftOut === undefined) {
        waves.open(progress, pending);
        continue;
      }
      for (const { isDue, run: start } of pending) {
        if (isDue || (whyHalted() ?? leaveOut(planned)) === null) yield start;
        else if (progress.leaveOut()) end(progress);
      }
    }
    while (waves.isOpen) {
      yield* waves.ready();
      if (waves.isOpen) yield null;
    }
  }

  const cancelDeadline =
    plan.runTimeoutMs === null ? null : ports.clock.after(plan.runTimeoutMs, () => stop.stop(runTimeout(plan)));
  if (ports.earlier !== undefined) budget.spend(ports.earlier.spentUsd);
  await schedule(tasks(), plan.concurrency);
  await keeper.settled();
  const fresh = await confirm();
  await keeper.settled();
  const names = plan.suites.map(({ name }) => name);
  for (const trial of ports.earlier?.left() ?? []) tally.addSpent(trial, suiteOfCase(trial.caseId, names));
  cancelDeadline?.();
  await gateway.close();
  await tools.close();
  return {
    suites: withFresh(collected.finish(), fresh),
    totals: tally.summarize(endpoints.settled()),
    suiteTotals: tally.ofSuites(),
    ranCases,
    stoppedBy: stop.stopped,
    haltedBy: halt ?? unfinished,
    storeError: keeper.error,
  };
}

function reasonOf(error: KindlmError): string {
  return error.code === "ENGINE_ABORTED" ? "interrupted" : error.message;
}

function runTimeout(plan: RunPlan): KindlmError {
  const ms = plan.runTimeoutMs ?? 0;
  return kindlmError("ENGINE_TIMEOUT", `The run took longer than ${renderDuration(ms)}`, {
    details: { scope: "run", ms },
  });
}
