import type { PlannedCase } from "../../plan/run-plan.js";
import type { RunEventBody, TrialRef } from "../run-event.js";
import { endAtToolError } from "./end-at-tool-error.js";
import type { Nudge } from "./nudge.js";
import { goOn, type ToolErrorPolicy } from "./tool-error-policy.js";
import { callsAfter } from "../../assertions/tool-expectations/call-order.js";
import { trialStopped } from "../../errors/trial-stopped.js";
import { failure } from "../../result.js";
import { withSend, type TargetSession, type Transcript } from "../../targets/target.js";
import type { NudgeSettings } from "../../tools/on-tool-error-schema.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { renderTemplate } from "../../values/template.js";

/** `stopped`: the trial is over for another reason. */
export function createToolErrorPolicy(
  { test, limits }: PlannedCase,
  stopped: AbortSignal,
  ref: TrialRef,
  emit: (event: RunEventBody) => void,
): ToolErrorPolicy {
  const { onToolError } = test;
  if (onToolError === null) return goOn;
  if (onToolError === "fail") return endAtToolError({ stopped, isModel: test.target === null });
  const onNudge = (nudge: Nudge): void => emit({ channel: "progress", type: "nudge", ...ref, ...nudge });
  return nudgeAfterToolError({ ...onToolError, maxTurns: limits.maxTurns, onNudge });
}

interface NudgingSettings extends NudgeSettings {
  /** Requests to the model per user message, those after a nudge included. */
  maxTurns: number;
  onNudge(nudge: Nudge): void;
}

/**
 * Asks the agent to continue when it has answered although its last tool error may pass and no later call of that tool
 * has succeeded. A nudge belongs to the user turn that it is sent in.
 */
function nudgeAfterToolError(settings: NudgingSettings): ToolErrorPolicy {
  const nudges: Nudge[] = [];
  return {
    ...goOn,
    nudges,
    wrap: (session) => withSend(session, sendWithNudges(session, settings, nudges)),
  };
}

function sendWithNudges(session: TargetSession, settings: NudgingSettings, nudges: Nudge[]): TargetSession["send"] {
  const { transcript } = session;
  return async (message, options) => {
    const callsBefore = transcript.toolCalls.length;
    const turnsBefore = transcript.turns.length;
    let answered = await session.send(message, options);
    while (answered.success && nudges.length < settings.max) {
      const failed = findOpenError(transcript.toolCalls.slice(callsBefore));
      // An agent without a request left could not answer a nudge, for which it is not to blame.
      if (failed === null || transcript.turns.length - turnsBefore >= settings.maxTurns) break;
      if (options.signal.aborted) return failure(trialStopped());
      const nudge = toNudge(failed, settings.text);
      nudges.push(nudge);
      settings.onNudge(nudge);
      // Whether there is another nudge depends on the answer to this one.
      answered = await session.send({ role: "user", content: nudge.text, isNudge: true }, options);
    }
    return answered;
  };
}

type FailedCall = TrialToolCall & Required<Pick<TrialToolCall, "error">>;

/** The last error among the calls of a user turn, if it may pass and was not overcome. */
function findOpenError(calls: Transcript["toolCalls"]): FailedCall | null {
  const at = calls.findLastIndex(({ error }) => error !== undefined);
  const call = calls[at];
  if (call?.error === undefined || !call.error.retryable) return null;
  const isOvercome = callsAfter(calls, at).some(({ tool, error }) => tool === call.tool && error === undefined);
  return isOvercome ? null : { ...call, error: call.error };
}

function toNudge({ tool, error, userTurn = 1 }: FailedCall, template: string): Nudge {
  const recommendations = (error.recommendations ?? []).join("; ");
  const values = { tool, error: error.message, error_type: error.errorType, recommendations };
  const rendered = renderTemplate(template, { values });
  // Its placeholders were checked with the config.
  return { userTurn, text: rendered.success ? rendered.data : template, tool, failure: error };
}
