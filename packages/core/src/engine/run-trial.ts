import type { TrialWorld } from "./trial-world.js";
import type { AssertionResult } from "../assertions/assertion-result.js";
import { attributionOf, kindlmError, locateError, type KindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase, RenderedCase } from "../plan/run-plan.js";
import { success } from "../result.js";
import type { Transcript } from "../targets/target.js";
import type { Trial } from "../transcript/trial.js";
import { addCosts } from "../values/add-costs.js";
import { buildTrial, totalsOf, type TrialTotals } from "./build-trial.js";
import { evaluateEnded } from "./after-tool-error/end-at-tool-error.js";
import { holdConversation, type HeldConversation } from "./hold-conversation.js";
import { evaluateConversation } from "./evaluate-conversation.js";
import type { EvaluatedTrial, EvaluationSettings } from "./evaluate-trial.js";
import { maskSensitive } from "./mask-sensitive.js";
import { outcomeOf } from "./retry-until/retry-user-turn.js";
import type { RunEventBody, TrialRef } from "./run-event.js";
import type { TrialResult } from "./run-result.js";
import { addSimulatedUser } from "./simulated-user/add-simulated-user.js";
import { addJudging, openJudging } from "./judging/open-judging.js";
import type { TrialDeadline } from "./trial-deadline.js";
import { originOf, trialUntil, withinTrial } from "./within-trial.js";

/** One execution of a case: converse, evaluate, decide. It is over for others when the store has it. */
export async function runTrial(
  planned: PlannedCase,
  rendered: RenderedCase,
  trial: number,
  world: TrialWorld,
): Promise<TrialResult> {
  const ref: TrialRef = { suite: planned.suite, caseId: planned.id, trial };
  world.emit({ channel: "progress", type: "trial:start", ...ref });
  const deadline = world.openDeadline(planned.timeouts.trialMs);
  const place = { planned, trial, runId: world.runId };
  const result = await trialUntil(deadline, place, () => runToEnd(planned, rendered, ref, deadline, world));
  if (result.error !== null) world.emit(errorEvent(ref, result.error));
  return result;
}

async function runToEnd(
  planned: PlannedCase,
  rendered: RenderedCase,
  ref: TrialRef,
  deadline: TrialDeadline,
  world: TrialWorld,
): Promise<TrialResult> {
  const startedAt = world.clock.monotonic();
  const judging = openJudging(planned, ref, deadline.signal, world);
  const context = {
    ...world.assertions,
    signal: deadline.signal,
    timeoutMs: planned.timeouts.toolMs,
    models: judging.ports,
  };
  const held = await holdConversation(planned, rendered, { ref, deadline, context }, world);
  const { transcript, stoppedBy, simulator, retrying } = held;
  const totals = totalsOf(transcript);
  const evaluated: EvaluatedTrial =
    stoppedBy === null
      ? await evaluateHeld(planned, rendered, held, totals, {
          threshold: planned.test.threshold,
          context,
          onResult: (result, at) => world.emit({ channel: "monitor", type: "assertion", ...ref, result }, at),
        })
      : { status: "errored", error: stoppedBy, ...outcomeOf(retrying) };
  world.budget.spend(evaluated.costUsd);
  const durationMs = world.clock.monotonic() - startedAt;
  const finished = recordOf(ref, held, totals, evaluated, durationMs);
  addSimulatedUser(finished, simulator);
  addJudging(finished, judging);
  const origin = originOf({ planned, trial: ref.trial, runId: world.runId });
  // Before the first request there is none to name.
  const where = transcript.turns.length === 0 ? origin : { ...origin, turn: transcript.turns.length };
  const unfair = isBlamed(evaluated) ? cutOff(transcript.toolCalls) : null;
  const decided: EvaluatedTrial = unfair === null ? evaluated : { ...evaluated, status: "errored", error: unfair };
  return maskSensitive<TrialResult>(
    decided.status === "errored"
      ? Object.assign(finished, {
          status: decided.status,
          // What cut an assertion short tells more than the assertion's own complaint of it.
          error: locateError(unfair ?? stoppedBy ?? deadline.reason ?? decided.error, where),
        })
      : Object.assign(finished, { status: decided.status, error: decided.error }),
  );
}

/** What a trial was like and what it took. Few trials have the last parts. */
function recordOf(
  { caseId, trial }: TrialRef,
  { transcript, faults, retrying, nudges }: HeldConversation,
  totals: TrialTotals,
  evaluated: EvaluatedTrial,
  durationMs: number,
) {
  const record = {
    caseId,
    trial,
    output: totals.output,
    latencyMs: totals.latencyMs,
    durationMs,
    costUsd: addCosts(totals.costUsd, evaluated.costUsd),
    usage: totals.usage,
    attempts: totals.attempts,
    unpricedRequests: totals.unpricedRequests,
    servedBy: totals.servedBy,
    fallback: totals.fallback,
    finishReason: totals.finishReason,
    turns: transcript.turns,
    toolCalls: transcript.toolCalls,
    messages: transcript.messages,
    assertions: evaluated.assertions,
  };
  if (faults !== null) Object.assign(record, { faults });
  if (retrying !== null) Object.assign(record, { tries: retrying.tries });
  if (nudges.length > 0) Object.assign(record, { nudges });
  return record;
}

function isBlamed({ status, error }: EvaluatedTrial): boolean {
  return status === "failed" || (error !== null && attributionOf(error) === "agent");
}

/**
 * An agent that met the answers of an interrupted conversation is not to blame for what it made of them. Null if it met
 * none.
 */
function cutOff(toolCalls: Transcript["toolCalls"]): KindlmError | null {
  const resumedCalls = toolCalls.filter(({ resumed }) => resumed !== undefined).length;
  if (resumedCalls === 0) return null;
  const message =
    "The trial was interrupted, and KindLM did not make its calls of tools with effects again. It did not pass, which may be due to the interruption";
  return kindlmError("ENGINE_ABORTED", message, { details: { resumedCalls } });
}

async function evaluateHeld(
  planned: PlannedCase,
  rendered: RenderedCase,
  { transcript, lastCall, simulator, retrying }: HeldConversation,
  totals: TrialTotals,
  settings: EvaluationSettings,
): Promise<EvaluatedTrial> {
  const build = (from: Transcript): Trial =>
    buildTrial(from, totals, rendered.history.length, planned.fault.id, simulator);
  const told = (result: AssertionResult): void => settings.onResult(result, settings.context.clock.now());
  const evaluate = () =>
    evaluateConversation(retrying, rendered.assertions, transcript, build, { ...settings, offers: rendered.offers });
  const evaluated = await withinTrial(async () =>
    success(await (lastCall === null ? evaluate() : evaluateEnded(lastCall, transcript, told, evaluate))),
  );
  return evaluated.success ? evaluated.data : { status: "errored", error: evaluated.error, ...outcomeOf(retrying) };
}

function errorEvent(ref: TrialRef, error: KindlmError): RunEventBody {
  const isOfModel = error.code.startsWith("PROVIDER_") || error.code === "SIMULATED_USER_ERROR";
  const phase = isOfModel ? "model" : error.code === "JUDGE_EVAL_ERROR" ? "judge" : "system";
  return { channel: "monitor", type: "error", ...ref, severity: "error", phase, message: error.message, error };
}
