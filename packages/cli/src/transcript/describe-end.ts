import type { ConversationEnd, TrialToolCall } from "@kindlm/core";

const ends: Readonly<Record<ConversationEnd, string>> = {
  goal: "the simulated user reached the goal",
  gave_up: "the simulated user gave up",
  stop: "the answer matched stop of the simulated user",
  max_turns: "the simulated user had sent max_turns messages",
};

/** Why the conversation with a simulated user ended. */
export function describeEnd(stoppedBy: ConversationEnd | null, toolCalls: readonly TrialToolCall[]): string {
  if (stoppedBy !== null) return ends[stoppedBy];
  const isPaused = toolCalls.some(({ permission }) => permission?.decision === "pending");
  return isPaused ? "the conversation waits for an approval" : "an error ended the conversation";
}
