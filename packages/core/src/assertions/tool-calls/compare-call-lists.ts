import { maximumPairing } from "../../matchers/pairing.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { groupBySteps, type CallOrder } from "../tool-expectations/call-order.js";
import { isExpectedCall, type ExpectedCall } from "../tool-expectations/expected-call.js";
import { longestInTurns } from "../tool-expectations/longest-in-turns.js";

export const listModes = ["strict", "unordered", "subset", "superset", "in_order"] as const;
export type ListMode = (typeof listModes)[number];

export function isOrdered(mode: ListMode): boolean {
  return mode === "strict" || mode === "in_order";
}

/** How a list of calls compares with the expected one. */
export interface ListComparison {
  pass: boolean;
  /** Share of what had to be paired that was. */
  score: number;
  /** Expected calls without a partner, where the mode needs one. */
  missing: readonly number[];
  /** Calls made without a partner, where the mode forbids them. */
  unexpected: readonly number[];
}

/**
 * Pairs each expected call with a call made, as many as possible: in their order (`strict`, `in_order`) or in any. Both
 * are maximum matchings, so a wide matcher never takes the call that a narrow one needs.
 */
export function compareCallLists(
  expected: readonly ExpectedCall[],
  made: readonly TrialToolCall[],
  mode: ListMode,
  by?: CallOrder,
): ListComparison {
  const partners = isOrdered(mode)
    ? longestInTurns(expected, made, groupBySteps(made, by), isExpectedCall)
    : maximumPairing(expected, made, isExpectedCall);
  const taken = new Set(partners);
  const paired = partners.filter((partner) => partner !== null).length;
  const missing = mode === "subset" ? [] : [...expected.keys()].filter((index) => partners[index] === null);
  const allowsOthers = mode === "superset" || mode === "in_order";
  const unexpected = allowsOthers ? [] : [...made.keys()].filter((index) => !taken.has(index));
  const needed = neededPairs(expected.length, made.length, mode);
  return {
    pass: missing.length === 0 && unexpected.length === 0,
    score: needed === 0 ? 1 : paired / needed,
    missing,
    unexpected,
  };
}

function neededPairs(expected: number, made: number, mode: ListMode): number {
  switch (mode) {
    case "strict":
    case "unordered":
      return Math.max(expected, made);
    case "subset":
      return made;
    case "superset":
    case "in_order":
      return expected;
  }
}
