import type { Message, RequestedToolCall, UserMessage } from "../transcript/message.js";
import type { CallReference, ToldResult } from "./piece.js";

/** Puts the messages of a provider's form into KindLM's, one by one. */
export interface MessageList {
  readonly messages: readonly Message[];
  system(text: string): void;
  /** `isNudge`: KindLM wrote it in the course of a user turn. */
  user(content: UserMessage["content"], isNudge?: boolean): void;
  /** `agent`: who said it, if the form has a name. */
  assistant(text: string, calls: readonly RequestedToolCall[], agent?: string): void;
  /** Adds to the answer that is being given, where the form spreads one over several items. */
  moreOfAssistant(text: string, calls: readonly RequestedToolCall[]): void;
  /** Whether a call waits for its result. */
  isWaiting(of: CallReference): boolean;
  /** The result of a call that was made before; false when there is none that waits for one. */
  result(told: ToldResult): boolean;
}

export function createMessageList(): MessageList {
  const messages: Message[] = [];
  /** Some programs give the calls of every turn the same ids, so that only calls without a result count. */
  const waiting: { id: string; tool: string }[] = [];
  let unnamed = 0;
  /** Ollama and Gemini give calls no ids, and answer them by the name of the tool. */
  const withIds = (calls: readonly RequestedToolCall[]): readonly RequestedToolCall[] =>
    calls.map((call) => (call.id === "" ? { ...call, id: `unnamed_${(unnamed += 1)}` } : call));
  const wait = (calls: readonly RequestedToolCall[]): void => {
    for (const { id, tool } of calls) waiting.push({ id, tool });
  };
  const assistant: MessageList["assistant"] = (text, toolCalls, agent) => {
    const calls = withIds(toolCalls);
    const by = agent === undefined ? {} : { agent };
    messages.push({ role: "assistant", text, toolCalls: calls, ...by });
    wait(calls);
  };
  const indexOf = ({ id, tool }: CallReference): number => {
    const byId = id === null ? -1 : waiting.findIndex((call) => call.id === id);
    // A call without an id may have been answered by one.
    const isOpen = (call: { id: string; tool: string }): boolean => id === null || call.id.startsWith("unnamed_");
    return byId !== -1 || tool === null ? byId : waiting.findIndex((call) => call.tool === tool && isOpen(call));
  };
  return {
    messages,
    system(content) {
      // The system prompt stands apart from the conversation; what is said later on is part of it.
      if (messages.length > 0) messages.push({ role: "system", content });
    },
    user(content, isNudge = false) {
      messages.push(isNudge ? { role: "user", content, isNudge } : { role: "user", content });
    },
    assistant,
    moreOfAssistant(text, toolCalls) {
      const last = messages.at(-1);
      if (last?.role !== "assistant") return assistant(text, toolCalls);
      const calls = withIds(toolCalls);
      messages.pop();
      messages.push({ ...last, text: last.text + text, toolCalls: [...last.toolCalls, ...calls] });
      wait(calls);
    },
    isWaiting: (of) => indexOf(of) !== -1,
    result({ of, content, isError }) {
      const index = indexOf(of);
      const call = waiting[index];
      if (call === undefined) return false;
      waiting.splice(index, 1);
      messages.push({ role: "tool", callId: call.id, tool: call.tool, content, isError });
      return true;
    },
  };
}
