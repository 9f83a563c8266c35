import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import type { ToolInvocation } from "../../tools/tool-runtime.js";
import type { AssistantMessage, RequestedToolCall } from "../../transcript/message.js";
import type { TrialToolCall } from "../../transcript/trial.js";

export function writeOutcome(record: TrialToolCall, outcome: ToolInvocation["outcome"]): void {
  if (!outcome.ok) record.error = outcome.failure;
  else if (outcome.value !== undefined) record.result = outcome.value;
}

export function outcomeOf({ error, result: value }: TrialToolCall): ToolInvocation["outcome"] {
  return error === undefined || error === null ? { ok: true, value } : { ok: false, failure: error };
}

/** The result as text, for a conversation. */
export function contentOf(outcome: ToolInvocation["outcome"]): string {
  if (!outcome.ok) return outcome.failure.message;
  const { value } = outcome;
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** An answer of an agent, with its name if it has one. */
export function spoken(
  text: string,
  toolCalls: readonly RequestedToolCall[],
  agent: string | undefined,
): AssistantMessage {
  return { role: "assistant", text, toolCalls, ...(agent === undefined ? {} : { agent }) };
}

export function fixtureError({ call, outcome, brokenBy }: ToolInvocation): KindlmError {
  if (brokenBy !== undefined) return brokenBy;
  const message = outcome.ok ? `The tool "${call.tool}" is broken` : outcome.failure.message;
  return kindlmError("ENGINE_FIXTURE_ERROR", message);
}
