import { breakArguments, toArgumentsText } from "../../providers/tool-arguments.js";
import type { FiredFault } from "../../transcript/fired-fault.js";
import type { Message, RequestedToolCall } from "../../transcript/message.js";
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
