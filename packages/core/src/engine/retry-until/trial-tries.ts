import type { AssertionResult } from "../../assertions/assertion-result.js";
import type { Message } from "../../transcript/message.js";

/** An answer that `retry_until` did not approve. */
export interface RejectedTry {
  /** From 1. */
  userTurn: number;
  /** From 1 within the user turn. */
  try: number;
  /** The messages of the assertions that failed. */
  reason: string;
  output: string;
  /** What was said in it before it was rolled back; empty for a last try, whose messages stand. */
  messages: readonly Message[];
  /** Those that failed. */
  assertions: readonly AssertionResult[];
}

/** How the user turns with `retry_until` went. */
export interface TrialTries {
  /** Answers that were asked for, over all these user turns. */
  count: number;
  /** Every one of these user turns was approved with its first answer. */
  firstTry: boolean;
  /** Every one of these user turns was approved in the end. */
  approved: boolean;
  rejected: readonly RejectedTry[];
}
