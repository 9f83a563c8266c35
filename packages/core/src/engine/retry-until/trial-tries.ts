import { assertionShape } from "../../assertions/assertion-result.js";
import { described, list } from "../../shape/compound.js";
import { internal } from "../../shape/field.js";
import { record } from "../../shape/record.js";
import { count, flag, text } from "../../shape/scalars.js";
import type { Static } from "../../shape/shape.js";
import { messagesShape } from "../../transcript/message.js";

/** An answer that `retry_until` did not approve. */
const rejectedAnswerShape = record(
  {
    /** From 1. */
    userTurn: count,
    /** From 1 within the user turn. */
    try: count,
    /** The messages of the assertions that failed. */
    reason: text,
    output: text,
    /** Those that failed. */
    assertions: internal(list(assertionShape)),
  },
  {
    /** Empty for a last try, whose messages are those of the trial. */
    messages: described("What was said before it was rolled back", messagesShape),
  },
);
export type RejectedTry = Static<typeof rejectedAnswerShape>;

/** How the user turns with `retry_until` went. */
export const trialTriesShape = record({
  /** Answers that were asked for, over all these user turns. */
  count: described("Answers that were asked for", count),
  /** Every one of these user turns was approved with its first answer. */
  firstTry: described("Every one was approved with its first answer", flag),
  /** Every one of these user turns was approved in the end. */
  approved: described("Every one was approved in the end", flag),
  rejected: list(rejectedAnswerShape),
});
export type TrialTries = Static<typeof trialTriesShape>;

/** `retry_until` did not approve an answer. */
export interface TryRejectedEvent {
  channel: "progress";
  type: "try:rejected";
  userTurn: number;
  /** From 1 within the user turn. */
  try: number;
  maxTries: number;
  reason: string;
  /** Whether the agent is asked again. */
  again: boolean;
}
