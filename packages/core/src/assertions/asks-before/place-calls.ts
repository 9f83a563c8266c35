import { startsUserTurn, type Message } from "../../transcript/message.js";
import type { Trial, TrialToolCall } from "../../transcript/trial.js";

/** A tool call and where in the conversation it was made. */
export interface PlacedCall {
  call: TrialToolCall;
  /** Index of the message that asked for it; between two messages where none did. */
  at: number;
}

/** The tool calls of a trial in its messages; null where a call has no place in them. */
export function placeCalls(messages: readonly Message[], { toolCalls }: Trial): readonly PlacedCall[] | null {
  const requested = messages.flatMap((message, at): readonly PlacedCall[] =>
    message.role === "assistant" ? message.toolCalls.map(({ tool, args }) => ({ call: { tool, args }, at })) : [],
  );
  if (toolCalls === undefined) return requested;
  const users = messages.flatMap((message, at) => (startsUserTurn(message) ? [at] : []));
  // Calls of the history come first among the messages, and are not the trial's.
  const own = requested.slice(Math.max(0, requested.length - toolCalls.length));
  const isAligned = own.length === toolCalls.length && own.every(({ call }, i) => call.tool === toolCalls[i]?.tool);
  const placed: PlacedCall[] = [];
  for (const [index, call] of toolCalls.entries()) {
    const { userTurn = 0 } = call;
    // The messages of a single user turn do not tell what was said before it.
    if (userTurn > users.length) return null;
    const user = users[userTurn - 1];
    const at = isAligned ? own[index]?.at : user === undefined ? undefined : user + 0.5;
    if (at === undefined) return null;
    placed.push({ call, at });
  }
  return placed;
}
