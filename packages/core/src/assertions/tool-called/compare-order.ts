import type { TrialToolCall } from "../../transcript/trial.js";
import { isEarlier } from "../tool-expectations/call-order.js";
import type { CallDifference } from "../tool-expectations/expected-call.js";

interface WantedOrder {
  before?: string | undefined;
  after?: string | undefined;
}

/** Null when the call is in an earlier (later) turn than some call of the tool that it must precede (follow). */
export function compareOrder(
  call: TrialToolCall,
  calls: readonly TrialToolCall[],
  { before, after }: WantedOrder,
): CallDifference | null {
  const at = calls.indexOf(call);
  if (before !== undefined && !calls.some((other, index) => other.tool === before && isEarlier(calls, at, index))) {
    return { words: lacking(before, "before", calls), distance: 0 };
  }
  if (after !== undefined && !calls.some((other, index) => other.tool === after && isEarlier(calls, index, at))) {
    return { words: lacking(after, "after", calls), distance: 0 };
  }
  return null;
}

function lacking(tool: string, word: string, calls: readonly TrialToolCall[]): string {
  return calls.some((call) => call.tool === tool)
    ? `is not in a turn ${word} a call of "${tool}"`
    : `has no call of "${tool}" to come ${word}: that was never called`;
}
