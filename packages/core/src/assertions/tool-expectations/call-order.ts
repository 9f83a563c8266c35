import type { TrialToolCall } from "../../transcript/trial.js";

/**
 * True when what came of the call at `first` was known when the one at `second` was made. Calls of one turn are
 * parallel: neither is earlier. Where a turn is not known the position decides.
 */
export function isEarlier(calls: readonly TrialToolCall[], first: number, second: number): boolean {
  const one = calls[first]?.turn;
  const other = calls[second]?.turn;
  return one !== undefined && other !== undefined ? one < other : first < second;
}

/** The calls that were made when it was known what came of the one at `index`. */
export function callsAfter(calls: readonly TrialToolCall[], index: number): readonly TrialToolCall[] {
  return calls.filter((_, other) => isEarlier(calls, index, other));
}

/** Such as ` in turn 3`; empty where the turn is not known. */
export function inTurn({ turn }: TrialToolCall): string {
  return turn === undefined ? "" : ` in turn ${turn}`;
}
