import type { AssistantMessage, Message } from "./message.js";
import type { Trial, TrialToolCall } from "./trial.js";

/** The agent that made a call, by name: a sub-agent, or the one that the target names. */
export function callerOf({ delegates, agent }: Pick<TrialToolCall, "delegates" | "agent">): string | undefined {
  return delegates?.at(-1) ?? agent;
}

/** The names of all agents in a trial, in the order in which they appear. */
export function agentsIn({ messages = [], toolCalls = [] }: Pick<Trial, "messages" | "toolCalls">): readonly string[] {
  const named = answersIn(messages).flatMap(({ agent }) => agent ?? []);
  const called = toolCalls.flatMap((call) => callerOf(call) ?? []);
  const delegated = toolCalls.flatMap(({ delegation }) => delegation?.template ?? []);
  return [...new Set([...named, ...called, ...delegated])];
}

/** One agent gave the conversation to another. */
export interface HandOff {
  from: string;
  to: string;
}

/** The hand-offs of a conversation: places where the next answer is another agent's. Answers without a name are left out. */
export function handOffsIn(messages: readonly Message[]): readonly HandOff[] {
  const names = answersIn(messages).flatMap(({ agent }) => agent ?? []);
  return names.flatMap((to, index) => {
    const from = names[index - 1];
    return from === undefined || from === to ? [] : [{ from, to }];
  });
}

function answersIn(messages: readonly Message[]): readonly AssistantMessage[] {
  return messages.filter((message) => message.role === "assistant");
}
