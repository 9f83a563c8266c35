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
 * A step is a turn, of the agent or of a sub-agent, because the agent makes all calls of a turn before it sees any of their results. If the turn of some
 * call is not known, positions decide, and only neighbors of the same known turn share a step. Otherwise, "a before b
 * before c before a" would be possible.
 */
export function stepsOf(calls: readonly TrialToolCall[], by: CallOrder = "turn"): readonly number[] {
  if (by === "position") return calls.map((_, index) => index);
  if (calls.every(({ turn }) => turn !== undefined)) return calls.map(({ turn = 0, step = turn }) => step);
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

/** The calls of a trial, in their order, and what comes after each. Each question is answered in constant time. */
export interface OrderedCalls {
  /** As {@link inOrder} has them. */
  calls: readonly TrialToolCall[];
  /** Where in `calls` the calls after that at `index` of the given list begin: the agent made them when it had its result. */
  startAfter(index: number): number;
  /** Where in `calls` the step of the call at this place begins. */
  startOfStep(place: number): number;
}

export function orderCalls(given: readonly TrialToolCall[]): OrderedCalls {
  const calls: TrialToolCall[] = [];
  const starts: number[] = [];
  const ends = new Map<number, number>();
  for (const group of groupBySteps(given)) {
    const start = calls.length;
    for (const index of group) {
      const call = given[index];
      if (call === undefined) continue;
      calls.push(call);
      starts.push(start);
      ends.set(index, start + group.length);
    }
  }
  return {
    calls,
    startAfter: (index) => ends.get(index) ?? calls.length,
    startOfStep: (place) => starts[place] ?? calls.length,
  };
}

/** The calls after the one at `index`, in their order. */
export function callsAfter(calls: readonly TrialToolCall[], index: number): readonly TrialToolCall[] {
  const order = orderCalls(calls);
  return order.calls.slice(order.startAfter(index));
}

/** For each place in a list, the first place from there on whose entry is meant; the length of the list if none is. */
export function nextPlaces<T>(list: readonly T[], isMeant: (entry: T, place: number) => boolean): readonly number[] {
  const next = [...list.keys(), list.length];
  for (let place = list.length - 1; place >= 0; place -= 1) {
    const entry = list[place];
    if (entry === undefined || !isMeant(entry, place)) next[place] = next[place + 1] ?? list.length;
  }
  return next;
}

/** Such as ` in turn 3`; empty if the turn is not known. */
export function inTurn({ turn }: TrialToolCall): string {
  return turn === undefined ? "" : ` in turn ${turn}`;
}
