import type { Message, TurnRecord } from "@kindlm/core";

/** Whether a user said it; a nudge of KindLM's belongs to the turn before. */
export const startsTurn = (message: Message): boolean => message.role === "user" && message.isNudge !== true;

/** Whether it is what the agent said last in its turn. Calls that it reported, and no message contains, came before. */
export function isAnswer(messages: readonly Message[], index: number): boolean {
  const [message, next] = [messages[index], messages[index + 1]];
  return message?.role === "assistant" && message.toolCalls.length === 0 && (next === undefined || startsTurn(next));
}

/** Whether the agent got a message. */
export function isAnswered({ attempts, fault }: TurnRecord): boolean {
  if (fault?.kind === "refusal") return true;
  return fault?.kind !== "cut_stream" && attempts.at(-1)?.error === null;
}
