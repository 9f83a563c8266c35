import type { TrialToolCall } from "../../transcript/trial.js";
import { canonicalJson } from "../../values/canonical-json.js";
import { matchesTool, type ToolPatterns } from "./tool-patterns.js";

/** A call that was made before with the same arguments. */
export interface Repeat {
  first: TrialToolCall;
  again: TrialToolCall;
}

/** What is known of a pair of calls of one tool with the same arguments. */
export interface RepeatedPair extends Repeat {
  firstIndex: number;
  againIndex: number;
}

/** True when both calls have the same arguments, in whatever order their keys stand. */
export function haveSameArgs(one: TrialToolCall, other: TrialToolCall): boolean {
  return argsKey(one) === argsKey(other);
}

/**
 * The calls that repeat an earlier one of the same tool with the same arguments, each with the last call before it for
 * which `counts` holds. Takes time in proportion to the number of calls and of pairs of equal calls.
 */
export function findRepeats(
  calls: readonly TrialToolCall[],
  counts: (pair: RepeatedPair) => boolean,
): readonly Repeat[] {
  const earlier = new Map<string, number[]>();
  return calls.flatMap((again, againIndex) => {
    const key = `${again.tool} ${argsKey(again)}`;
    const same = earlier.get(key) ?? [];
    earlier.set(key, same);
    const firstIndex = same.findLast((index) => {
      const first = calls[index];
      return first !== undefined && isKnownTo(first, again) && counts({ first, again, firstIndex: index, againIndex });
    });
    same.push(againIndex);
    const first = firstIndex === undefined ? undefined : calls[firstIndex];
    return first === undefined ? [] : [{ first, again }];
  });
}

/** False where the first was rolled back before the other was made: the agent can not know that it had made it. */
function isKnownTo(first: TrialToolCall, again: TrialToolCall): boolean {
  if (first.rejectedTry === undefined) return true;
  return first.rejectedTry === again.rejectedTry && first.userTurn === again.userTurn;
}

/** True when a call of one of these tools succeeded between the two, so that the same call may have another outcome. */
export function hasChangeBetween(
  calls: readonly TrialToolCall[],
  { firstIndex, againIndex }: RepeatedPair,
  changers: ToolPatterns | undefined,
): boolean {
  if (changers === undefined) return false;
  return calls
    .slice(firstIndex + 1, againIndex)
    .some((call) => call.error === undefined && matchesTool(changers, call.tool));
}

/** Arguments that were not recorded are shown as none, and count as none. */
function argsKey({ args }: TrialToolCall): string {
  return canonicalJson(args ?? {});
}
