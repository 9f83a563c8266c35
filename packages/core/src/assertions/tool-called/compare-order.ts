import type { TrialToolCall } from "../../transcript/trial.js";
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
  if (before !== undefined && !calls.some((other) => other.tool === before && isEarlier(call, other, calls))) {
    return { words: lacking(before, "before", calls), distance: 0 };
  }
  if (after !== undefined && !calls.some((other) => other.tool === after && isEarlier(other, call, calls))) {
    return { words: lacking(after, "after", calls), distance: 0 };
  }
  return null;
}

/** Calls of one turn are parallel: neither is earlier. Where a turn is not known the position decides. */
function isEarlier(first: TrialToolCall, second: TrialToolCall, calls: readonly TrialToolCall[]): boolean {
  if (first.turn !== undefined && second.turn !== undefined) return first.turn < second.turn;
  return calls.indexOf(first) < calls.indexOf(second);
}

function lacking(tool: string, word: string, calls: readonly TrialToolCall[]): string {
  return calls.some((call) => call.tool === tool)
    ? `is not in a turn ${word} a call of "${tool}"`
    : `has no call of "${tool}" to come ${word}: that was never called`;
}
