import type { TrialToolCall } from "../../transcript/trial.js";

/** Where the agent asks before a call: in a message to the user, or for the approval of the call itself. */
export const askingWays = ["message", "approval"] as const;

/** How calls were put up for approval. */
export interface AskedCalls {
  /** The first call whose approval was asked for; null if there is none. */
  asked: TrialToolCall | null;
  /** The first call that ran although nobody was asked; null if there is none. */
  unasked: TrialToolCall | null;
}

/** Tells calls whose approval was asked for from calls that ran without. A denied call ran neither way. */
export function findUnapproved(calls: readonly TrialToolCall[]): AskedCalls {
  const isAsked = ({ permission }: TrialToolCall): boolean => permission?.id !== undefined;
  return {
    asked: calls.find(isAsked) ?? null,
    unasked: calls.find((call) => !isAsked(call) && call.permission?.decision !== "denied") ?? null,
  };
}
