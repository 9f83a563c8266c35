import type { TrialToolCall } from "../../transcript/trial.js";
import type { AssertionOutcome } from "../assertion-result.js";
import {
  compareCall,
  describeExpected,
  expectedData,
  isExpectedCall,
  type ExpectedCall,
} from "../tool-expectations/expected-call.js";
import { callData, describeCall } from "../tool-expectations/made-calls.js";
import { plural } from "../../values/plural.js";
import { findNearestMiss } from "../tool-expectations/nearest-miss.js";
import { isOrdered, type ListComparison, type ListMode } from "./compare-call-lists.js";

const shown = 3;

const wantedByMode: Readonly<Record<ListMode, (calls: string) => string>> = {
  strict: (calls) => `exactly the ${calls} listed, in this order`,
  unordered: (calls) => `exactly the ${calls} listed, in any order`,
  subset: (calls) => `nothing but the ${calls} listed`,
  superset: (calls) => `at least the ${calls} listed`,
  in_order: (calls) => `the ${calls} listed, in this order`,
};

export function renderListOutcome(
  comparison: ListComparison,
  expected: readonly ExpectedCall[],
  made: readonly TrialToolCall[],
  mode: ListMode,
): AssertionOutcome {
  const wanted = expected.length === 0 ? "no tool calls" : wantedByMode[mode](plural(expected.length, "tool call"));
  const { pass, score } = comparison;
  if (pass) return { pass, score, message: `The calls made are as expected: ${wanted}` };
  const inOrder = isOrdered(mode);
  const problems = [
    ...describeMissing(comparison, expected, made, inOrder),
    ...describeUnexpected(comparison, expected, made, inOrder),
  ];
  const happened = made.length === 0 ? "no tools were called" : problems.join("; ");
  return {
    pass,
    score,
    message: `Expected ${wanted}, but ${happened}`,
    expected: expected.map(expectedData),
    actual: made.map(callData),
  };
}

function describeMissing(
  { missing, unexpected }: ListComparison,
  expected: readonly ExpectedCall[],
  made: readonly TrialToolCall[],
  inOrder: boolean,
): string[] {
  // A call that is left over is what the agent did instead, so the nearest miss is looked for there first.
  const leftOver = unexpected.flatMap((index) => made[index] ?? []);
  const words = missing.slice(0, shown).flatMap((index) => {
    const wanted = expected[index];
    if (wanted === undefined) return [];
    const candidates = leftOver.some((call) => call.tool === wanted.tool) ? leftOver : made;
    return `${describeExpected(wanted)} is missing${describeNearest(wanted, candidates, inOrder)}`;
  });
  return missing.length > shown ? [...words, `${missing.length - shown} more are missing`] : words;
}

function describeNearest(wanted: ExpectedCall, candidates: readonly TrialToolCall[], inOrder: boolean): string {
  if (candidates.some((call) => isExpectedCall(wanted, call))) return inOrder ? " in its place" : " again";
  const miss = findNearestMiss(wanted.tool, candidates, (call) => compareCall(wanted, call));
  return miss.call === null ? "" : ` (${miss.words})`;
}

function describeUnexpected(
  { unexpected }: ListComparison,
  expected: readonly ExpectedCall[],
  made: readonly TrialToolCall[],
  inOrder: boolean,
): string[] {
  const words = unexpected.slice(0, shown).flatMap((index) => {
    const call = made[index];
    if (call === undefined) return [];
    const isListed = expected.some((wanted) => isExpectedCall(wanted, call));
    const what = isListed ? (inOrder ? "is out of place" : "is one too many") : "is not expected";
    return `${describeCall(call)} ${what}`;
  });
  return unexpected.length > shown ? [...words, `${unexpected.length - shown} more are not expected`] : words;
}
