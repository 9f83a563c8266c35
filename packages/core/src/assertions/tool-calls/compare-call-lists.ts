import { maximumPairing, createPairing } from "../../matchers/pairing.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import { groupBySteps, type CallOrder } from "../tool-expectations/call-order.js";
import { isExpectedCall, type ExpectedCall } from "../tool-expectations/expected-call.js";

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

/**
 * Pairs as many expected entries as possible with entries made, so the pairs are in order: an entry of an earlier group
 * goes to an earlier expected one. Entries of one group have no order among themselves, so each group takes a run of
 * expected entries and pairs it in any order. With groups of one entry this is a longest common subsequence.
 *
 * Dynamic programming over the expected entries and the groups. A run of a group grows one entry at a time, and each
 * entry costs one search for an augmenting path; a run that has filled its group grows no further.
 */
function longestInTurns<Expected, Made>(
  expected: readonly Expected[],
  made: readonly Made[],
  groups: readonly (readonly number[])[],
  fits: (expected: Expected, made: Made) => boolean,
): readonly (number | null)[] {
  const table = createTable(expected, made, groups, fits);
  const partners: (number | null)[] = expected.map(() => null);
  let from = 0;
  for (const [at, group] of groups.entries()) {
    const run = table.choose(from, at);
    for (const [offset, partner] of run.partners.entries()) {
      if (partner !== null) partners[from + offset] = group[partner] ?? null;
    }
    from = run.end;
  }
  return partners;
}

/** Expected entries up to `end`, and which entry of the group each is paired with. */
interface Run {
  end: number;
  partners: readonly (number | null)[];
}

function createTable<Expected, Made>(
  expected: readonly Expected[],
  made: readonly Made[],
  groups: readonly (readonly number[])[],
  fits: (expected: Expected, made: Made) => boolean,
): { choose(from: number, at: number): Run } {
  const width = groups.length + 1;
  const most = new Uint32Array((expected.length + 1) * width);
  const mostFrom = (from: number, at: number): number => most[from * width + at] ?? 0;
  const fitting = groups.map((group) => {
    const rows = expected.map((entry) =>
      group.map((index) => {
        const candidate = made[index];
        return candidate !== undefined && fits(entry, candidate);
      }),
    );
    return { size: group.length, fits: (entry: number, place: number) => rows[entry]?.[place] === true };
  });

  /** Each run of the group that begins at `from` and ends with an entry that it can pair, in the order of their ends. */
  function* runsOf(from: number, at: number): Iterable<Run & { pairs: number }> {
    const group = fitting[at];
    if (group === undefined) return;
    const pairing = createPairing(group.size, (row, place) => group.fits(from + row, place));
    let pairs = 0;
    for (let end = from + 1; end <= expected.length && pairs < group.size; end += 1) {
      if (!pairing.add()) continue;
      pairs += 1;
      yield { end, pairs, partners: pairing.partners };
    }
  }

  for (let at = groups.length - 1; at >= 0; at -= 1) {
    for (let from = expected.length - 1; from >= 0; from -= 1) {
      let best = mostFrom(from, at + 1);
      for (const { end, pairs } of runsOf(from, at)) best = Math.max(best, pairs + mostFrom(end, at + 1));
      most[from * width + at] = best;
    }
  }
  return {
    choose(from, at) {
      const best = mostFrom(from, at);
      for (const { end, pairs, partners } of runsOf(from, at)) {
        if (pairs + mostFrom(end, at + 1) === best) return { end, partners: [...partners] };
      }
      // The group is left out; so are the entries that no later group needs.
      let end = expected.length;
      while (end > from && mostFrom(end, at + 1) !== best) end -= 1;
      return { end, partners: [] };
    },
  };
}
