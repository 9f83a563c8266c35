import type { KindlmError } from "../../errors/kindlm-error.js";
import type { Result } from "../../result.js";
import type { Transcript } from "../../targets/target.js";
import type { HandlerOutcome } from "../../tools/tool-handler.js";
import type { Delegation } from "../../transcript/trial.js";
import { totalsOf } from "../build-trial.js";

/** What is kept of a conversation with a sub-agent, which is over. */
export function delegationRecord(
  template: string,
  model: string,
  transcript: Transcript,
  { sent, isPaused }: { sent: Result<void>; isPaused: boolean },
): Delegation {
  const { usage, costUsd } = totalsOf(transcript);
  const { messages, turns, toolCalls } = transcript;
  const record: Delegation = {
    template,
    model,
    status: isPaused ? "paused" : sent.success ? "ok" : "failed",
    turns: [...turns],
    usage,
    costUsd,
    messages: [...messages],
    toolCalls: [...toolCalls],
  };
  return sent.success || isPaused ? record : { ...record, error: sent.error };
}

/** Errors of the sub-agent that the agent which delegates has to deal with. All others end the trial, as its own would. */
const ownErrors: ReadonlySet<KindlmError["code"]> = new Set(["ENGINE_MAX_TURNS", "ENGINE_EMPTY_RESPONSE"]);

/** What the agent that delegates gets. */
export function outcomeOf({ template, status, messages, toolCalls }: Delegation, sent: Result<void>): HandlerOutcome {
  const last = messages.findLast((message) => message.role === "assistant");
  const answer = { status, template, text: last?.text ?? "" };
  if (status === "paused") {
    const permissionIds = toolCalls.flatMap(({ permission }) =>
      permission?.decision === "pending" && permission.id !== undefined ? [permission.id] : [],
    );
    return { ok: true, value: { ...answer, permissionIds } };
  }
  if (sent.success) return { ok: true, value: answer };
  const { error } = sent;
  const message = `The sub-agent '${template}' did not finish: ${error.message}`;
  if (ownErrors.has(error.code)) return { ok: false, failure: { errorType: "runtime", message } };
  return { ok: false, failure: { errorType: "exception", message }, broken: true, brokenBy: error };
}
