import {
  fixedTrialsOf,
  looksBetween,
  shareOfLook,
  trialsAtLook,
  type PlannedLooks,
} from "../statistics/spend-alpha.js";
import type { ComparedLooks } from "../summary/comparison-result.js";
import type { RepeatedCase } from "../engine/ports.js";
import type { ComparedCase } from "../statistics/compared-case.js";
import type { RanTest } from "./usability-of.js";

/** A case of a comparison next to what ran of it. */
interface LookedAt {
  test: RanTest;
  compared: ComparedCase;
}

/** The looks that the comparison of a suite may take. */
export interface SuiteLooks extends PlannedLooks {
  /** What the look that was reached may spend of the level; 1 for the only one. */
  share: number;
  /** The cases that have more trials at a later look. */
  open: readonly LookedAt[];
}

/**
 * The looks of a suite, by what its cases may have: all of them have the share of their trials that belongs to a look. So how
 * many trials a case has says nothing of how they ended, and neither do rates lean to one side, as they would if only cases
 * that look worse had more.
 */
export function looksAt(cases: readonly LookedAt[]): SuiteLooks {
  const open = cases.filter(({ test, compared }) => test.further !== undefined && !compared.isDeterministic);
  const looks = Math.max(1, ...open.map(({ test }) => looksBetween(test.runs, maxOf(test))));
  const reached = Math.min(looks, Math.max(1, ...open.map(({ test }) => test.further?.looks ?? 1)));
  const trials = Array.from({ length: looks }, (_, index) =>
    open.reduce((sum, { test }) => sum + trialsOf(test, index + 1, looks), 0),
  );
  const planned = { trials, reached };
  return { ...planned, share: looks === 1 ? 1 : shareOfLook(planned), open };
}

/** What the next look needs; nothing after the last one. */
export function trialsOfNextLook({ open, trials, reached }: SuiteLooks): readonly RepeatedCase[] {
  const looks = trials.length;
  if (reached >= looks) return [];
  return open.flatMap(({ test }) => {
    const had = trialsOf(test, reached, looks);
    const more = trialsOf(test, reached + 1, looks) - had;
    return more === 0 ? [] : [{ caseId: test.id, trials: more, after: had - test.runs }];
  });
}

/** What a report says of the looks; null where there was never more than one. */
export function describeLooks(looks: SuiteLooks, alpha: number): ComparedLooks | null {
  const { trials, reached } = looks;
  if (trials.length === 1) return null;
  const used = trials[reached - 1] ?? 0;
  const fixed = fixedTrialsOf(looks, alpha);
  return { looks: reached, maxLooks: trials.length, trials: used, maxTrials: trials.at(-1) ?? 0, fixedTrials: fixed };
}

function trialsOf(test: RanTest, look: number, looks: number): number {
  return trialsAtLook({ min: test.runs, max: maxOf(test) }, look, looks);
}

function maxOf({ further, runs }: RanTest): number {
  return further?.max ?? runs;
}
