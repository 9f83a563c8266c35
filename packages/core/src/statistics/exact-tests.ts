import type { CaseCounts } from "./case-counts.js";

/**
 * Fisher's exact test, one-sided: the probability that `candidate` has so few passes or fewer, given how many passes
 * both have together, if nothing has changed. Small means worse. With the arguments exchanged it tests for better.
 * Source: R. A. Fisher, "Statistical Methods for Research Workers", 5th ed. (1934), § 21.02; the hypergeometric tail.
 * 1 when one of the two has no trials.
 */
export function fisherExact(baseline: CaseCounts, candidate: CaseCounts): number {
  const passes = baseline.passes + candidate.passes;
  const baselineFailures = baseline.trials - passes;
  return lowerTail(
    Math.max(0, -baselineFailures),
    Math.min(candidate.trials, passes),
    candidate.passes,
    (x) => ((candidate.trials - x) * (passes - x)) / ((x + 1) * (baselineFailures + x + 1)),
  );
}

/**
 * McNemar's test in its exact form, one-sided: the probability that of the pairs that changed so many or more got worse,
 * if a change for the worse is as likely as one for the better. 1 when nothing changed.
 * Source: Q. McNemar, Psychometrika 12 (1947); the exact form is the sign test, a binomial tail at ½.
 */
export function mcnemarExact(worsened: number, improved: number): number {
  const changed = worsened + improved;
  return lowerTail(0, changed, improved, (x) => (changed - x) / (x + 1));
}

/**
 * The probability that a discrete, single-peaked distribution on the whole numbers `lowest` to `highest` gives at most
 * `limit`. It is described by `ratio(x)` = P(x + 1) ÷ P(x) alone: the terms are summed relative to the largest one, so
 * that no factorial is needed, nothing overflows, and small tails keep their relative precision.
 */
export function lowerTail(lowest: number, highest: number, limit: number, ratio: (x: number) => number): number {
  if (limit < lowest) return 0;
  if (limit >= highest) return 1;
  let mode = lowest;
  while (mode < highest && ratio(mode) > 1) mode += 1;
  let tail = 0;
  let total = 0;
  const add = (x: number, weight: number): void => {
    total += weight;
    if (x <= limit) tail += weight;
  };
  for (let x = mode, weight = 1; x <= highest; x += 1) {
    add(x, weight);
    weight *= ratio(x);
  }
  for (let x = mode - 1, weight = 1; x >= lowest; x -= 1) {
    weight /= ratio(x);
    add(x, weight);
  }
  return tail / total;
}
