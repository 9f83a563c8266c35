import * as z from "../../values/deferred-zod.js";
import type { TrialToolCall } from "../../transcript/trial.js";

const orders = ["turn", "position"] as const;

/** What decides which of two calls was made first. */
export type CallOrder = (typeof orders)[number];

export const orderOption = z
  .enum(orders)
  .optional()
  .describe(
    "What decides the order of two calls. turn: their turns; calls of one turn have no order. " +
      "position: their positions in the list of calls, also within a turn. Default: turn.",
  );

/**
 * The step at which each call was made. A call is before another if its step is lower; calls of one step have no order
 * among themselves. This is the only definition of order: every assertion about order compares steps.
 *
 * A step is a turn, because the agent makes all calls of a turn before it sees any of their results. If the turn of some
 * call is not known, positions decide, and only neighbors of the same known turn share a step. Otherwise, "a before b
 * before c before a" would be possible.
 */
export function stepsOf(calls: readonly TrialToolCall[], by: CallOrder = "turn"): readonly number[] {
  if (by === "position") return calls.map((_, index) => index);
  if (calls.every(({ turn }) => turn !== undefined)) return calls.map(({ turn = 0 }) => turn);
  let step = 0;
  return calls.map(({ turn }, index) => {
    const isParallel = turn !== undefined && calls[index - 1]?.turn === turn;
    if (index > 0 && !isParallel) step += 1;
    return step;
  });
}

/** The calls of each step, as indexes, in the order of the steps. */
export function groupBySteps(calls: readonly TrialToolCall[], by?: CallOrder): readonly (readonly number[])[] {
  const groups = new Map<number, number[]>();
  for (const [index, step] of stepsOf(calls, by).entries()) {
    const group = groups.get(step);
    if (group === undefined) groups.set(step, [index]);
    else group.push(index);
  }
  return [...groups].toSorted(([one], [other]) => one - other).map(([, group]) => group);
}

/** The calls in their order; calls of one step stay as they are. */
export function inOrder(calls: readonly TrialToolCall[]): readonly TrialToolCall[] {
  return groupBySteps(calls).flatMap((group) => group.flatMap((index) => calls[index] ?? []));
}

/** The calls after the one at `index`, in their order: the agent made them when it had the result of that one. */
export function callsAfter(calls: readonly TrialToolCall[], index: number): readonly TrialToolCall[] {
  const groups = groupBySteps(calls);
  return groups.slice(groupOf(groups, index) + 1).flatMap((group) => group.flatMap((at) => calls[at] ?? []));
}

/** The number of calls before the one at `index`. */
export function countBefore(calls: readonly TrialToolCall[], index: number): number {
  const groups = groupBySteps(calls);
  return groups.slice(0, groupOf(groups, index)).reduce((sum, group) => sum + group.length, 0);
}

function groupOf(groups: readonly (readonly number[])[], index: number): number {
  return groups.findIndex((group) => group.includes(index));
}

/** Such as ` in turn 3`; empty if the turn is not known. */
export function inTurn({ turn }: TrialToolCall): string {
  return turn === undefined ? "" : ` in turn ${turn}`;
}
