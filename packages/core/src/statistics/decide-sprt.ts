import type { CaseCounts } from "./case-counts.js";

export interface SprtLimits {
  /** A pass rate that is good enough. */
  good: number;
  /** A pass rate that is not; lower than `good`. What lies between may be decided either way. */
  bad: number;
  /** How often a good case may be called failed. */
  alpha: number;
  /** How often a bad case may be called passed. */
  beta: number;
}

/**
 * Wald's sequential probability ratio test of a pass rate: after each trial it says passed, failed, or null for "go on".
 * It needs fewer trials on average than any fixed number with the same errors. The rate of a case that it ended is
 * biased and belongs in no rate, pass@k or baseline.
 * Source: A. Wald, "Sequential tests of statistical hypotheses", Ann. Math. Stat. 16 (1945).
 */
export function decideSprt({ passes, trials }: CaseCounts, limits: SprtLimits): "passed" | "failed" | null {
  const { good, bad, alpha, beta } = limits;
  const evidence = weight(passes, bad, good) + weight(trials - passes, 1 - bad, 1 - good);
  if (evidence >= Math.log((1 - beta) / alpha)) return "failed";
  return evidence <= Math.log(beta / (1 - alpha)) ? "passed" : null;
}

/** What `count` observations say for the bad rate; none say nothing, even where one would be impossible. */
function weight(count: number, ifBad: number, ifGood: number): number {
  return count === 0 ? 0 : count * Math.log(ifBad / ifGood);
}
