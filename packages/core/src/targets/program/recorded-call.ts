import { breakArguments, toArgumentsText } from "../../providers/tool-arguments.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import type { ToolInvocation } from "../../tools/tool-runtime.js";
import type { FiredFault } from "../../transcript/fired-fault.js";
import type { AssistantMessage, Message, RequestedToolCall } from "../../transcript/message.js";
import type { TrialToolCall } from "../../transcript/trial.js";

/** A call that the model asked for and whose result it has not received yet. */
export interface OpenCall {
  call: RequestedToolCall;
  record: TrialToolCall;
  startedAt: number;
  start: number;
  /** Set when the agent had it run by KindLM, which knows its outcome better than the agent's words. */
  isRun: boolean;
  isError: boolean;
}

/** The agent got the call with arguments that do not parse. */
export function breakCall(open: OpenCall, messages: Message[], fault: FiredFault): void {
  const raw = breakArguments(toArgumentsText(open.call));
  Object.assign(open.record, { args: raw, fault });
  const { id, tool } = open.call;
  open.call = { id, tool, args: undefined, malformed: { raw, reason: "a bracket is opened twice" } };
  const at = messages.findLastIndex((one) => one.role === "assistant" && one.toolCalls.some((call) => call.id === id));
  const message = messages[at];
  if (message?.role !== "assistant") return;
  messages[at] = { ...message, toolCalls: message.toolCalls.map((call) => (call.id === id ? open.call : call)) };
}

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
