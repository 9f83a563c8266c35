import type { TurnRecord } from "./turn.js";
import type { Usage } from "./usage.js";

/**
 * Why a conversation with a simulated user ended: it reached its goal, it gave up, the agent's answer met `stop`, or
 * its messages were used up.
 */
export const conversationEnds = ["goal", "gave_up", "stop", "max_turns"] as const;
export type ConversationEnd = (typeof conversationEnds)[number];

/** What was said aloud: no tool calls, and nothing that only the model of one side was told. */
export interface SpokenMessage {
  by: "user" | "simulated_user" | "agent";
  text: string;
}

/** What a simulated user did in a trial. It is counted apart from the agent. */
export interface SimulatedUserRecord {
  /** Id of the model that plays the user. */
  model: string;
  /** Null when an error ended the conversation. */
  stoppedBy: ConversationEnd | null;
  /** Messages that it wrote and the agent was given. */
  turns: number;
  /** HTTP requests, retries included. */
  requests: number;
  /** US dollars; null when the price of a request is unknown. */
  costUsd: number | null;
  unpricedRequests: number;
  usage: Usage;
  /** Everything that was said, the history of the test included. */
  conversation: readonly SpokenMessage[];
  /** Its requests with their attempts. */
  calls: readonly TurnRecord[];
}
