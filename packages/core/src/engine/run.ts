import type { AssertionResult } from "../assertions/assertion-result.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase, RunPlan } from "../plan/run-plan.js";
import { createBudget } from "../resilience/budget.js";
import { renderDuration } from "../values/duration.js";
import { createEndpoints } from "./create-endpoints.js";
import { createToolOpener } from "./create-tool-opener.js";
import { createTally } from "./create-tally.js";
import type { EnginePorts } from "./ports.js";
import { CaseProgress, skippedResult } from "./run-case.js";
import type { RunTotals, SuiteResult, TestResult, TrialResult } from "./run-result.js";
import { runTrial, type TrialWorld } from "./run-trial.js";
import { schedule } from "./schedule.js";
import { createAgentGateway } from "../targets/gateway/create-gateway.js";
import { collectSuites } from "./collect-suites.js";
import { createDeadlines, type StopSwitch } from "./trial-deadline.js";

/** What the engine found out, before gates and verdict. */
export interface EngineOutcome {
  suites: readonly SuiteResult[];
  totals: RunTotals;
  /** Ids of the cases that ran, in the order of the config. */
  ranCases: readonly string[];
  /** What stopped the run before its end; null when it went through. */
  stoppedBy: KindlmError | null;
  /** Why the last cases were not dispatched: `--bail`, or the money; null when all were. */
  haltedBy: string | null;
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
  const tally = createTally();
  const ranCases: string[] = [];
  const endpoints = createEndpoints(plan, ports);
  const tools = createToolOpener(ports);
  const budget = createBudget(plan.maxCostUsd, endpoints.release);
  const gateway = createAgentGateway();
  let unsuccessful = 0;
  let halt: string | null = null;
  let storeFailed = false;

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
    tools,
  };

  /** Why no further trial is started; null while the run goes on. */
  const whyHalted = (): string | null => {
    if (stop.stopped !== null) return reasonOf(stop.stopped);
    if (plan.bail !== null && unsuccessful >= plan.bail) halt ??= `stopped after ${unsuccessful} unsuccessful (--bail)`;
    halt ??= budget.refusal()?.message ?? null;
    return halt;
  };

  const conclude = (planned: PlannedCase, result: TestResult, found: readonly AssertionResult[] = []): void => {
    const counts = result.status === "errored" || (result.status === "failed" && result.allowFailure === null);
    if (counts) unsuccessful += 1;
    collected.add(planned, result, found);
  };

  const keep = async (trial: TrialResult): Promise<void> => {
    tally.add(trial);
    const kept = await ports.trials.append(trial);
    if (kept.success || storeFailed) return;
    storeFailed = true;
    const { error } = kept;
    ports.emit({ channel: "monitor", type: "error", severity: "warn", phase: "store", message: error.message, error });
  };

  const runOne = async (progress: CaseProgress, trial: number): Promise<void> => {
    const { planned } = progress;
    const rendered = progress.rendered();
    const result = rendered.success
      ? await runTrial(planned, rendered.data, trial, world)
      : unrenderedTrial(planned, trial, rendered.error);
    await keep(result);
    if (progress.finish(result)) conclude(planned, progress.toResult(), progress.assertions);
  };

  function* tasks(): Generator<() => Promise<void>> {
    for (const planned of plan.cases()) {
      const reason = planned.skip ?? whyHalted();
      if (reason !== null) {
        conclude(planned, skippedResult(planned, reason));
        continue;
      }
      const progress = new CaseProgress(planned);
      ranCases.push(planned.id);
      collected.started(planned);
      for (let trial = 1; trial <= planned.runs; trial += 1) {
        if (trial > 1 && whyHalted() !== null) {
          if (progress.cutShort(trial - 1)) conclude(planned, progress.toResult(), progress.assertions);
          break;
        }
        yield () => runOne(progress, trial);
      }
    }
  }

  const cancelDeadline =
    plan.runTimeoutMs === null ? null : ports.clock.after(plan.runTimeoutMs, () => stop.stop(runTimeout(plan)));
  await schedule(tasks(), plan.concurrency);
  cancelDeadline?.();
  await gateway.close();
  await tools.close();
  return {
    suites: collected.finish(),
    totals: tally.summarize(endpoints.settled()),
    ranCases,
    stoppedBy: stop.stopped,
    haltedBy: halt,
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

/** A case whose placeholders can not be filled was never sent anywhere. */
function unrenderedTrial(planned: PlannedCase, trial: number, error: KindlmError): TrialResult {
  return {
    caseId: planned.id,
    trial,
    status: "errored",
    error,
    output: "",
    latencyMs: 0,
    durationMs: 0,
    costUsd: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    attempts: 0,
    unpricedRequests: 0,
    servedBy: null,
    fallback: null,
    finishReason: null,
    turns: [],
    toolCalls: [],
    messages: [],
    assertions: [],
  };
}
