import type { TrialToolCall } from "../../transcript/trial.js";
import { argsOf } from "../../transcript/args-of.js";
import { exactIntegersOf } from "../../values/exact-integers.js";
import { canonicalJson } from "../../values/canonical-json.js";
import { inOrder, stepsOf } from "./call-order.js";
import { matchesTool, type ToolPatterns } from "./tool-patterns.js";

/** A call that was made before with the same arguments. */
export interface Repeat {
  first: TrialToolCall;
  again: TrialToolCall;
}

/** A repeat, with the steps of its calls. */
export interface RepeatedPair extends Repeat {
  firstStep: number;
  againStep: number;
}

/** True when both calls have the same arguments, in whatever order their keys stand. */
export function haveSameArgs(one: TrialToolCall, other: TrialToolCall): boolean {
  return argsKey(one) === argsKey(other);
}

/**
 * The calls that repeat an earlier one of the same tool with the same arguments, or one of the same step, each with the
 * last such call for which `counts` holds. Takes time in proportion to the number of calls and of pairs of equal calls.
 */
export function findRepeats(
  made: readonly TrialToolCall[],
  counts: (pair: RepeatedPair) => boolean,
): readonly Repeat[] {
  const calls = inOrder(made);
  const steps = stepsOf(calls);
  const earlier = new Map<string, number[]>();
  return calls.flatMap((again, againIndex) => {
    const key = `${again.tool} ${argsKey(again)}`;
    const same = earlier.get(key) ?? [];
    earlier.set(key, same);
    const firstIndex = same.findLast((index) => {
      const first = calls[index];
      if (first === undefined || !isKnownTo(first, again)) return false;
      return counts({ first, again, firstStep: steps[index] ?? 0, againStep: steps[againIndex] ?? 0 });
    });
    same.push(againIndex);
    const first = firstIndex === undefined ? undefined : calls[firstIndex];
    return first === undefined ? [] : [{ first, again }];
  });
}

/** False where the first was rolled back before the other was made: the agent cannot know that it had made it. */
function isKnownTo(first: TrialToolCall, again: TrialToolCall): boolean {
  if (first.rejectedTry === undefined) return true;
  return first.rejectedTry === again.rejectedTry && first.userTurn === again.userTurn;
}

/**
 * Whether a call of one of these tools succeeded between the two of a pair, so the same call may have another outcome.
 * A call of the same turn as one of them has no order with it, so it counts.
 */
export function createChangeFinder(
  made: readonly TrialToolCall[],
  changers: ToolPatterns | undefined,
): (pair: RepeatedPair) => boolean {
  if (changers === undefined) return () => false;
  const calls = inOrder(made);
  const steps = stepsOf(calls);
  const changes = calls.flatMap((call, index) =>
    call.error === undefined && matchesTool(changers, call.tool) ? [{ call, step: steps[index] ?? 0 }] : [],
  );
  return ({ first, again, firstStep, againStep }) =>
    changes.some(({ call, step }) => call !== first && call !== again && step >= firstStep && step <= againStep);
}

/** Arguments that were not recorded are shown as none, and count as none. */
export function argsKey(call: TrialToolCall): string {
  return canonicalJson([call.args ?? {}, exactIntegersOf(argsOf(call)) ?? {}]);
}
