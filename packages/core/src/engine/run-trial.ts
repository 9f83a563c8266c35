import type { AssertionContext } from "../assertions/define-assertion.js";
import { kindlmError, locateError, type KindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase, RenderedCase } from "../plan/run-plan.js";
import type { Budget } from "../resilience/budget.js";
import type { ModelRoute } from "../resilience/model-route.js";
import { failure, success, type Result } from "../result.js";
import { createModelSession } from "../targets/model/create-model-session.js";
import type { TargetSession } from "../targets/target.js";
import { createToolRuntime } from "../tools/create-tool-runtime.js";
import { decideUnfired } from "../tools/faults/fault-report.js";
import type { ToolRuntime } from "../tools/tool-runtime.js";
import type { Clock } from "../values/clock.js";
import { createRandom, hashText } from "../values/random.js";
import { buildTrial, totalsOf } from "./build-trial.js";
import { judgeTrial } from "./judge-trial.js";
import { maskSensitive } from "./mask-sensitive.js";
import type { RunEventBody, TrialRef } from "./run-event.js";
import type { TrialResult } from "./run-result.js";
import { createSessionEvents } from "./session-events.js";
import type { OpenDeadline } from "./trial-deadline.js";

/** What all trials of a run share. */
export interface TrialWorld {
  clock: Clock;
  runId: string;
  seed: number;
  openDeadline: OpenDeadline;
  emit(event: RunEventBody): void;
  routeOf(planned: PlannedCase): Result<ModelRoute>;
  budget: Budget;
  /** The shared part of every assertion's context; signal and deadline are the trial's own. */
  assertions: Omit<AssertionContext, "signal" | "timeoutMs">;
}

/** One execution of a case: converse, evaluate, decide. Never rejects. */
export async function runTrial(
  planned: PlannedCase,
  rendered: RenderedCase,
  trial: number,
  world: TrialWorld,
): Promise<TrialResult> {
  const ref: TrialRef = { suite: planned.suite, caseId: planned.id, trial };
  world.emit({ channel: "progress", type: "trial:start", ...ref });
  const startedAt = world.clock.monotonic();
  const deadline = world.openDeadline(planned.timeouts.trialMs);
  const seed = hashText(`${world.seed}\n${planned.id}\n${trial}`);
  const tools = openTools(planned, rendered, seed, world.clock);
  const opened = openSession(planned, rendered, ref, seed, tools, world);
  const conversed = opened.success ? await converse(opened.data, rendered, deadline.signal) : opened;
  const transcript = opened.success ? opened.data.transcript : { messages: [], turns: [], toolCalls: [] };
  const totals = totalsOf(transcript);
  const faults = planned.fault.faults.length === 0 ? null : tools.faultReports();
  const stoppedBy = conversed.success
    ? faults === null
      ? null
      : decideUnfired(faults)
    : (deadline.reason ?? conversed.error);
  const judged =
    stoppedBy !== null
      ? { status: "errored" as const, error: stoppedBy, assertions: [], costUsd: 0 }
      : await judgeTrial(
          rendered.assertions,
          buildTrial(transcript, totals, rendered.history.length, planned.fault.id),
          {
            threshold: planned.test.threshold,
            context: { ...world.assertions, signal: deadline.signal, timeoutMs: planned.timeouts.toolMs },
            onResult: (result) => world.emit({ channel: "monitor", type: "assertion", ...ref, result }),
          },
        );
  deadline.release();
  world.budget.spend(judged.costUsd);
  const finished = {
    caseId: planned.id,
    trial,
    output: totals.output,
    latencyMs: totals.latencyMs,
    durationMs: world.clock.monotonic() - startedAt,
    costUsd: totals.costUsd === null ? null : totals.costUsd + judged.costUsd,
    usage: totals.usage,
    attempts: totals.attempts,
    unpricedRequests: totals.unpricedRequests,
    servedBy: totals.servedBy,
    fallback: totals.fallback,
    finishReason: totals.finishReason,
    turns: transcript.turns,
    toolCalls: transcript.toolCalls,
    messages: transcript.messages,
    assertions: judged.assertions,
    ...(faults === null ? {} : { faults }),
  };
  const where = { runId: world.runId, suite: planned.suite, test: planned.test.name, caseId: planned.id, trial };
  const result = maskSensitive<TrialResult>(
    // What cut an assertion short tells more than the assertion's own complaint of it.
    judged.status === "errored"
      ? Object.assign(finished, {
          status: judged.status,
          error: locateError(deadline.reason ?? judged.error, { ...where, turn: transcript.turns.length }),
        })
      : Object.assign(finished, { status: judged.status, error: judged.error }),
  );
  if (result.error !== null) world.emit(errorEvent(ref, result.error));
  world.emit({ channel: "progress", type: "trial:end", ...ref, status: result.status, costUsd: result.costUsd });
  return result;
}

function openTools(planned: PlannedCase, rendered: RenderedCase, seed: number, clock: Clock): ToolRuntime {
  const { test, timeouts, fault } = planned;
  return createToolRuntime({
    tools: rendered.tools,
    style: test.toolErrors,
    recommendations: test.recommendations,
    timeoutMs: timeouts.toolMs,
    clock,
    scope: rendered.answerScope,
    ...(rendered.state === null ? {} : { state: rendered.state }),
    ...(fault.faults.length === 0 ? {} : { faults: { list: fault.faults, seed } }),
  });
}

function openSession(
  planned: PlannedCase,
  rendered: RenderedCase,
  ref: TrialRef,
  seed: number,
  tools: ToolRuntime,
  world: TrialWorld,
): Result<TargetSession> {
  const route = world.routeOf(planned);
  if (!route.success) return route;
  return success(
    createModelSession({
      route: route.data,
      budget: world.budget,
      clock: world.clock,
      random: createRandom(seed),
      listener: createSessionEvents(world.emit, ref),
      system: rendered.system,
      history: rendered.history,
      tools,
      limits: planned.limits,
      origin: { caseId: planned.id, trial: ref.trial, seed },
    }),
  );
}

async function converse(session: TargetSession, rendered: RenderedCase, signal: AbortSignal): Promise<Result<void>> {
  for (const message of rendered.userTurns) {
    if (signal.aborted) return failure(kindlmError("ENGINE_ABORTED", "The trial was stopped"));
    // oxlint-disable-next-line no-await-in-loop -- a conversation goes one message after the other
    const answered = await session.send(message, { signal });
    if (!answered.success) return answered;
  }
  return success(undefined);
}

function errorEvent(ref: TrialRef, error: KindlmError): RunEventBody {
  const phase = error.code.startsWith("PROVIDER_") ? "model" : error.code === "JUDGE_EVAL_ERROR" ? "judge" : "system";
  return { channel: "monitor", type: "error", ...ref, severity: "error", phase, message: error.message, error };
}
