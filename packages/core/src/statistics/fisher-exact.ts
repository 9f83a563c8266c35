import type { CaseCounts } from "./case-counts.js";
import { lowerTail } from "./discrete-tail.js";

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
