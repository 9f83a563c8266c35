import { described, list, nullable } from "../shape/compound.js";
import { internal } from "../shape/field.js";
import { record } from "../shape/record.js";
import { count, oneOf, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import { auxiliaryTotalsShape } from "./auxiliary-totals.js";
import { turnShape } from "./turn.js";

/**
 * Why a conversation with a simulated user ended: it reached its goal, it gave up, the agent's answer met `stop`, or
 * its messages were used up.
 */
export const conversationEnds = ["goal", "gave_up", "stop", "max_turns"] as const;
export type ConversationEnd = (typeof conversationEnds)[number];

/** What was said aloud: no tool calls, and nothing that only the model of one side received. */
export const spokenMessageShape = record({ by: oneOf(["user", "simulated_user", "agent"]), text });
export type SpokenMessage = Static<typeof spokenMessageShape>;

/** What the simulated user of a trial, or those of a run, took. Their cost is part of the cost around it. */
export const simulatedUserTotalsShape = record({
  /** Messages that it wrote and the agent was given. */
  turns: described("Messages that it wrote and the agent was given", count),
  ...auxiliaryTotalsShape.always,
});
export type SimulatedUserTotals = Static<typeof simulatedUserTotalsShape>;

/** What a simulated user did in a trial. It is counted apart from the agent. */
export const simulatedUserShape = record({
  /** Id of the model that plays the user. */
  model: text,
  /** Null when an error ended the conversation. */
  stoppedBy: described("Why the conversation ended; null when an error ended it", nullable(oneOf(conversationEnds))),
  ...simulatedUserTotalsShape.always,
  /** Everything that was said, the history of the test included. */
  conversation: described(
    "Everything that was said; simulated_user marks what the model wrote that plays the user",
    list(spokenMessageShape),
  ),
  /** Its requests with their attempts. */
  calls: internal(list(turnShape)),
});
export type SimulatedUserRecord = Static<typeof simulatedUserShape>;
