import type { TrialToolCall } from "../../transcript/trial.js";
import { stepsOf } from "../tool-expectations/call-order.js";
import type { CallDifference } from "../tool-expectations/expected-call.js";

interface WantedOrder {
  before?: string | undefined;
  after?: string | undefined;
}

/** Compares calls with the order that is wanted: null if the call is before (after) some call of the other tool. */
export function createOrderComparison(
  calls: readonly TrialToolCall[],
  { before, after }: WantedOrder,
): (call: TrialToolCall) => CallDifference | null {
  if (before === undefined && after === undefined) return () => null;
  const steps = stepsOf(calls);
  const stepOf = new Map(calls.map((call, index) => [call, steps[index] ?? 0]));
  const stepsOfTool = (tool: string | undefined): readonly number[] =>
    steps.filter((_, index) => calls[index]?.tool === tool);
  const lastOfNext = stepsOfTool(before).reduce((most, step) => Math.max(most, step), Number.NEGATIVE_INFINITY);
  const firstOfPrevious = stepsOfTool(after).reduce((least, step) => Math.min(least, step), Number.POSITIVE_INFINITY);
  return (call) => {
    const step = stepOf.get(call) ?? 0;
    if (before !== undefined && lastOfNext <= step) return { words: lacking(before, "before", calls), distance: 0 };
    if (after !== undefined && firstOfPrevious >= step) return { words: lacking(after, "after", calls), distance: 0 };
    return null;
  };
}

function lacking(tool: string, word: string, calls: readonly TrialToolCall[]): string {
  return calls.some((call) => call.tool === tool)
    ? `is not in a turn ${word} a call of "${tool}"`
    : `has no call of "${tool}" to come ${word}: that was never called`;
}
