import type { ConversationEnd, TrialToolCall } from "@kindlm/core";

/** Null for a call that may run without anybody's approval. */
export function describePermission(permission: TrialToolCall["permission"]): string | null {
  if (permission === undefined || permission.decision === "allowed") return null;
  const { decision, by, rule, approval, note, asked } = permission;
  if (decision === "pending") {
    const why = asked === undefined ? "" : ` (${sourceOf(asked.by, asked.rule)})`;
    return `the call waits for an approval${why}${asked?.reason === undefined ? "" : `: ${asked.reason}`}`;
  }
  const source = approval === undefined ? sourceOf(by, rule) : `approvals ${approval}`;
  return `${decision} the call (${source})${note === undefined ? "" : `: ${note}`}`;
}

function sourceOf(by: string, rule = ""): string {
  return by === "rule" ? rule : `${by === "hook" ? "plugin" : by} ${rule}`;
}

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
