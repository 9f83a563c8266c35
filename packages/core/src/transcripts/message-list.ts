import type { Message, RequestedToolCall, UserMessage } from "../transcript/message.js";

/** Puts the messages of a provider's form into KindLM's, one by one. */
export interface MessageList {
  readonly messages: readonly Message[];
  system(text: string): void;
  /** `isNudge`: KindLM wrote it in the course of a user turn. */
  user(content: UserMessage["content"], isNudge?: boolean): void;
  assistant(text: string, calls: readonly RequestedToolCall[]): void;
  /** Adds to the answer that is being given, where the form spreads one over several items. */
  moreOfAssistant(text: string, calls: readonly RequestedToolCall[]): void;
  /** The result of a call that was made before; false when there is none that waits for one. */
  result(callId: string, content: string, isError: boolean): boolean;
}

export function createMessageList(): MessageList {
  const messages: Message[] = [];
  /** Some programs give the calls of every turn the same ids, so that only calls without a result count. */
  const waiting: { id: string; tool: string }[] = [];
  const assistant = (text: string, toolCalls: readonly RequestedToolCall[]): void => {
    messages.push({ role: "assistant", text, toolCalls });
    for (const { id, tool } of toolCalls) waiting.push({ id, tool });
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
      messages.pop();
      messages.push({ role: "assistant", text: last.text + text, toolCalls: [...last.toolCalls, ...toolCalls] });
      for (const { id, tool } of toolCalls) waiting.push({ id, tool });
    },
    result(callId, content, isError) {
      const index = waiting.findIndex(({ id }) => id === callId);
      const call = waiting[index];
      if (call === undefined) return false;
      waiting.splice(index, 1);
      messages.push({ role: "tool", callId, tool: call.tool, content, isError });
      return true;
    },
  };
}
