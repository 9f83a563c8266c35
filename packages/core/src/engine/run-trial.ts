import type { AssertionResult } from "../assertions/assertion-result.js";
import type { AssertionContext } from "../assertions/define-assertion.js";
import { locateError, type KindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase, PlannedModel, RenderedCase } from "../plan/run-plan.js";
import type { Budget } from "../resilience/budget.js";
import type { ModelRoute } from "../resilience/model-route.js";
import { success, type Result } from "../result.js";
import type { Trial } from "../transcript/trial.js";
import type { TargetWorld } from "../targets/define-target.js";
import type { TargetSession, Transcript } from "../targets/target.js";
import { decideUnfired, type FaultReport } from "../tools/faults/fault-report.js";
import type { Clock } from "../values/clock.js";
import { hashText } from "../values/random.js";
import { buildTrial, totalsOf } from "./build-trial.js";
import { converse } from "./converse.js";
import { judgeConversation } from "./judge-conversation.js";
import type { JudgedTrial } from "./judge-trial.js";
import { maskSensitive } from "./mask-sensitive.js";
import type { ToolOpener } from "./create-tool-opener.js";
import { openRetrying, outcomeOf, triesOf } from "./retry-user-turn.js";
import { openSession } from "./open-session.js";
import { addSimulatedUser } from "./simulated-user/add-simulated-user.js";
import { noUser, openSimulatedUser, simulatorOf } from "./simulated-user/open-simulated-user.js";
import { judgeWithPolicy } from "./end-at-tool-error.js";
import type { ToolErrorPolicy } from "./tool-error-policy.js";
import { createToolErrorPolicy } from "./create-tool-error-policy.js";
import type { RunEventBody, TrialRef } from "./run-event.js";
import type { TrialResult } from "./run-result.js";
import type { OpenDeadline } from "./trial-deadline.js";

/** What all trials of a run share. */
export interface TrialWorld {
  clock: Clock;
  runId: string;
  seed: number;
  openDeadline: OpenDeadline;
  emit(event: RunEventBody): void;
  routeOf(planned: PlannedCase): Result<ModelRoute | null>;
  routeThrough(models: readonly [PlannedModel, ...PlannedModel[]]): Result<ModelRoute>;
  budget: Budget;
  /** What targets that are programs share. */
  targets: TargetWorld;
  tools: Pick<ToolOpener, "open">;
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
  const tools = await world.tools.open(planned, rendered, { ref, seed, signal: deadline.signal });
  const user = planned.simulator === null ? noUser : await openSimulatedUser(planned, rendered, ref, seed, world);
  const simulator = simulatorOf(user);
  const policy = createToolErrorPolicy(planned, deadline.signal, (nudge) =>
    world.emit({ channel: "progress", type: "nudge", ...ref, ...nudge }),
  );
  const opened = tools.success
    ? await openSession(planned, rendered, ref, { seed, tools: tools.data.runtime, user, policy }, world)
    : tools;
  const judging = {
    threshold: planned.test.threshold,
    context: { ...world.assertions, signal: deadline.signal, timeoutMs: planned.timeouts.toolMs },
    onResult: (result: AssertionResult) => world.emit({ channel: "monitor", type: "assertion", ...ref, result }),
  };
  const { context } = judging;
  const session = opened.success ? success(policy.wrap(opened.data)) : opened;
  const retrying = openRetrying(session, rendered, { ref, fault: planned.fault.id, context, emit: world.emit });
  const conversed = session.success
    ? await converse(session.data, rendered, deadline.signal, simulator, retrying)
    : session;
  if (session.success) await session.data.close();
  if (tools.success) tools.data.release();
  const { transcript, stderr } = leftBy(session, policy);
  const totals = totalsOf(transcript);
  const faults = planned.fault.faults.length === 0 ? null : tools.success ? tools.data.runtime.faultReports() : [];
  const lastCall = policy.endedBy(conversed);
  const stoppedBy = lastCall === null ? stopReason(conversed, deadline.reason, stderr, faults, transcript) : null;
  const build = (from: Transcript): Trial =>
    buildTrial(from, totals, rendered.history.length, planned.fault.id, simulator);
  const judged: JudgedTrial =
    stoppedBy !== null
      ? { status: "errored", error: stoppedBy, ...outcomeOf(retrying) }
      : await judgeWithPolicy(lastCall, transcript, judging.onResult, () =>
          judgeConversation(retrying, rendered.assertions, transcript, build, judging),
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
    ...triesOf(retrying),
    ...(policy.nudges.length === 0 ? {} : { nudges: policy.nudges }),
  };
  addSimulatedUser(finished, simulator);
  const origin = { runId: world.runId, suite: planned.suite, test: planned.test.name, caseId: planned.id, trial };
  // Before the first request there is none to name.
  const where = transcript.turns.length === 0 ? origin : { ...origin, turn: transcript.turns.length };
  const result = maskSensitive<TrialResult>(
    // What cut an assertion short tells more than the assertion's own complaint of it.
    judged.status === "errored"
      ? Object.assign(finished, {
          status: judged.status,
          error: locateError(stoppedBy ?? deadline.reason ?? judged.error, where),
        })
      : Object.assign(finished, { status: judged.status, error: judged.error }),
  );
  if (result.error !== null) world.emit(errorEvent(ref, result.error));
  world.emit({ channel: "progress", type: "trial:end", ...ref, status: result.status, costUsd: result.costUsd });
  return result;
}

/** What there is to tell of a session once it is closed. */
function leftBy(session: Result<TargetSession>, policy: ToolErrorPolicy): { transcript: Transcript; stderr: string } {
  if (!session.success) return { transcript: { messages: [], turns: [], toolCalls: [] }, stderr: "" };
  return { transcript: policy.cut(session.data.transcript), stderr: session.data.stderr() };
}

/** Why the trial can not be judged; null when it can. */
function stopReason(
  conversed: Result<void>,
  reason: KindlmError | null,
  stderr: string,
  faults: readonly FaultReport[] | null,
  { toolCalls }: Transcript,
): KindlmError | null {
  if (!conversed.success) return withStderr(reason ?? conversed.error, stderr);
  return faults === null ? null : decideUnfired(faults, toolCalls);
}

function errorEvent(ref: TrialRef, error: KindlmError): RunEventBody {
  const isOfModel = error.code.startsWith("PROVIDER_") || error.code === "SIMULATED_USER_ERROR";
  const phase = isOfModel ? "model" : error.code === "JUDGE_EVAL_ERROR" ? "judge" : "system";
  return { channel: "monitor", type: "error", ...ref, severity: "error", phase, message: error.message, error };
}

/** What an agent's own program said last tells most of why it did not answer. */
function withStderr(error: KindlmError, stderr: string): KindlmError {
  if (stderr === "") return error;
  if (error.code === "TARGET_ERROR") {
    return { ...error, details: { kind: "unexpected", ...error.details, stderr } };
  }
  if (error.code === "ENGINE_TIMEOUT" && error.details !== undefined) {
    return { ...error, details: { ...error.details, stderr } };
  }
  return error;
}
