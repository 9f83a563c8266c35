import type { KindlmError } from "../errors/kindlm-error.js";
import type { JudgeFinding } from "./judging/judge-votes.js";

/** What an assertion's own code finds. A failing assertion is a result, not an error. */
export interface AssertionOutcome {
  pass: boolean;
  /** From 0 to 1. */
  score: number;
  /** What was expected, what happened, and the nearest miss. Also says something useful when it passes. */
  message: string;
  expected?: unknown;
  actual?: unknown;
  /** US dollars that the user's own check cost, when it said so. What models cost is counted where they are asked. */
  costUsd?: number;
  /** What a judge said. */
  judge?: JudgeFinding;
  /** Strings that must not be shown, such as personal data that was found. They are masked in every output. */
  sensitive?: readonly string[];
  /** Set when it was not evaluated, such as where `when` did not match: it counts neither way. */
  skipped?: true;
  /** Set with `skipped` if it compares with the baseline, which has no answer of this case yet. */
  awaitsBaseline?: true;
}

/** The finished result of one assertion. */
export interface AssertionResult extends AssertionOutcome {
  type: string;
  /** The assertion's `id`, when it has one. */
  id?: string;
  weight: number;
  durationMs: number;
  /** US dollars that the models cost which it asked; null when a price is unknown. Part of `judging` of the trial. */
  judgingCostUsd?: number | null;
  /** Which user turn it was evaluated on; absent for the whole trial. */
  userTurn?: number;
  /** Set when it could not be evaluated: `pass` is false then, and `message` is the error's. */
  error?: KindlmError;
  /** Members of a group. */
  parts?: readonly AssertionResult[];
}
