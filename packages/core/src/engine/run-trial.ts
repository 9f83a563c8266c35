import { everyCall } from "../transcript/delegated-calls.js";
import { attempt, withCleanup } from "../errors/boundary.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase, RenderedCase } from "../plan/run-plan.js";
import { failure } from "../result.js";
import { addCosts } from "../values/add-costs.js";
import { totalsOf, type TrialTotals } from "./build-trial.js";
import { decideTrialStatus, locateStatus } from "./decide-trial-status.js";
import { evaluateStopped, unevaluated } from "./injection/evaluate-stopped.js";
import { injectionsOf } from "./injection/injections-of.js";
import { evaluateConversation, isLost, isTaskDone, type EndedConversation } from "./evaluate-conversation.js";
import type { EvaluatedTrial } from "./evaluate-trial.js";
import { holdConversation, type HeldConversation, type Surroundings } from "./hold-conversation.js";
import { addJudging } from "./judging/open-judging.js";
import { pausedBy } from "./pause/paused-trial.js";
import { maskSensitive } from "./mask-sensitive.js";
import { openEvaluation } from "./open-evaluation.js";
import type { RunContext } from "./run-context.js";
import type { RunEventBody, TrialRef } from "./run-event.js";
import type { TrialResult } from "./run-result.js";
import { addSimulatedUser } from "./simulated-user/open-simulated-user.js";
import type { TrialDeadline } from "./trial-deadline.js";
import { TrialWorkspace } from "./trial-workspace/trial-workspace.js";
import { reportChanges } from "./trial-workspace/watch-files.js";
import { originOf, trialOrError, unexpectedError } from "./within-trial.js";

/** One execution of a case. Others treat it as finished once the store has it. */
export async function runTrial(
  planned: PlannedCase,
  rendered: RenderedCase,
  trial: number,
  run: RunContext,
): Promise<TrialResult> {
  const ref: TrialRef = { suite: planned.suite, caseId: planned.id, trial };
  run.emit({ channel: "progress", type: "trial:start", ...ref });
  const deadline = run.openDeadline(planned.timeouts.trialMs);
  const place = { planned, trial, runId: run.runId };
  const result = await trialOrError(place, deadline, () => runToEnd(planned, rendered, ref, deadline, run));
  if (result.error !== null) run.emit(errorEvent(ref, result.error));
  return result;
}

/**
 * The order is semantics. The workspace is there from before the tools until after the assertions; nothing is evaluated that was stopped; the simulated user and the judges are paid after the
 * agent; the status is decided when everything that bears on it is known; and what assertions found to be sensitive is
 * masked last, everywhere. `holdConversation` says in which order features wrap the session.
 */
function runToEnd(
  planned: PlannedCase,
  rendered: RenderedCase,
  ref: TrialRef,
  deadline: TrialDeadline,
  run: RunContext,
): Promise<TrialResult> {
  const runIn = (workspace: TrialWorkspace): Promise<TrialResult> =>
    runInWorkspace(planned, rendered, { ref, deadline, workspace }, run);
  const { workspace: config } = planned.test;
  // Few tests have one, and every trial comes here.
  if (config === undefined) return runIn(TrialWorkspace.none(run.workspaces));
  return TrialWorkspace.open(config, run.workspaces).then((workspace) =>
    withCleanup(
      () => runIn(workspace),
      () => workspace.close(),
    ),
  );
}

async function runInWorkspace(
  planned: PlannedCase,
  rendered: RenderedCase,
  { ref, deadline, workspace }: Pick<Surroundings, "ref" | "deadline" | "workspace">,
  run: RunContext,
): Promise<TrialResult> {
  const startedAt = run.clock.now();
  const start = run.clock.monotonic();
  const { judging, settings } = openEvaluation(
    planned,
    rendered,
    ref,
    { signal: deadline.signal, ...workspace.files() },
    run,
  );
  const held = await holdConversation(planned, rendered, { ref, deadline, context: settings.context, workspace }, run);
  const { transcript, before } = held;
  const totals = totalsOf(transcript);
  // Before any check can change the files.
  const left = workspace.folder === null ? undefined : await workspace.record(workspace.folder);
  // What runs in the background may exceed a limit that no call of a tool was there to report.
  const stoppedBy = held.stoppedBy ?? workspace.brokenLimit;
  if (workspace.folder !== null)
    await reportChanges(workspace.folder.seen, (changed) => run.emit({ ...changed, ...ref }));
  if (stoppedBy === null) run.emit({ channel: "progress", type: "evaluation", ...ref });
  // V8 of Node 20 takes microseconds to add a key to the copy of an object, so none is copied here.
  const ended: EndedConversation = { transcript, before, simulator: held.simulator, workspace: left };
  const tried =
    stoppedBy === null
      ? await attempt(() => evaluateConversation(planned, rendered, ended, totals, settings), unexpectedError)
      : failure(stoppedBy);
  const evaluated = tried.success
    ? tried.data
    : stoppedBy === null
      ? unevaluated(before)
      : await evaluateStopped(stoppedBy, planned, rendered, held, totals, settings);
  run.budget.spend(evaluated.costUsd);
  const times = { startedAt, durationMs: run.clock.monotonic() - start };
  const finished = recordOf(ref, held, totals, evaluated, times);
  addSimulatedUser(finished, held.simulator);
  addJudging(finished, judging);
  const decided = decideTrialStatus({
    stoppedBy: tried.success ? null : tried.error,
    interruptedBy: deadline.reason,
    isLost: isLost(before),
    asserted: evaluated.asserted,
    toolCalls: [...everyCall(transcript.toolCalls)],
  });
  const kept = workspace.keepFor(decided.status);
  if (left !== undefined) Object.assign(finished, { workspace: kept === undefined ? left : { ...left, kept } });
  const origin = originOf({ planned, trial: ref.trial, runId: run.runId });
  // Before the first request there is none to name.
  if (transcript.turns.length > 0) origin.turn = transcript.turns.length;
  return maskSensitive<TrialResult>(Object.assign(finished, locateStatus(decided, origin)));
}

/** What a trial was like and what it took. Few trials have the last parts. */
function recordOf(
  { caseId, trial }: TrialRef,
  { transcript, faults, tries, nudges, injections, before }: HeldConversation,
  totals: TrialTotals,
  evaluated: EvaluatedTrial,
  { startedAt, durationMs }: { startedAt: number; durationMs: number },
) {
  const record = {
    caseId,
    trial,
    output: totals.output,
    startedAt,
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
  if (tries !== null) Object.assign(record, { tries });
  const paused = pausedBy(transcript.toolCalls);
  if (paused !== null) Object.assign(record, { paused });
  if (transcript.gateway !== undefined) Object.assign(record, { gateway: transcript.gateway });
  if (nudges.length > 0) Object.assign(record, { nudges });
  if (injections !== null) {
    const done = isTaskDone(before, evaluated);
    Object.assign(record, { injections: injectionsOf(injections, evaluated.assertions, done) });
  }
  return record;
}

function errorEvent(ref: TrialRef, error: KindlmError): RunEventBody {
  const isOfModel = error.code.startsWith("PROVIDER_") || error.code === "SIMULATED_USER_ERROR";
  const phase = isOfModel ? "model" : error.code === "JUDGE_EVAL_ERROR" ? "judge" : "system";
  return { channel: "monitor", type: "error", ...ref, severity: "error", phase, message: error.message, error };
}
