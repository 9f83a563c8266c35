import { createRandom } from "../values/random.js";
import type { DecisionLevels } from "./chance-to-decide.js";
import { isComparable, isOutrightRegression, type ComparedCase } from "./compared-case.js";
import { equalTrials } from "./equal-trials.js";
import { isSignificant } from "./is-significant.js";
import { differencesByCluster, pairedDifference } from "./paired-difference.js";
import { signFlipTest } from "./sign-flip-test.js";
import { whatWouldDecide, type DecidingSize } from "./what-would-decide.js";

export interface ComparisonLevels extends Partial<DecisionLevels> {
  /** For the draws of the permutation test, and of trials where one side has more: equal data and seed give an equal p. */
  seed: number;
}

export interface ComparisonVerdict extends DecisionLevels {
  verdict: "regressed" | "ok" | "inconclusive";
  /** Cases without noise that passed and no longer do; any of them makes the verdict `regressed`. */
  regressedOutright: readonly string[];
  /** Cases that have a trial on both sides. */
  cases: number;
  /** Of these, the ones with noise; what follows speaks of them alone. */
  noisyCases: number;
  clusters: number;
  /** One-sided p-value of the sign-flip test; null without noisy cases. */
  p: number | null;
  /** Mean of candidate rate − baseline rate; null without noisy cases. */
  meanDifference: number | null;
  /** 95 % interval of `meanDifference`; never of zero width. Null without noisy cases. */
  interval: readonly [number, number] | null;
  /** For `inconclusive`: what would decide. Null for the other verdicts, and without cases. */
  wouldDecide: DecidingSize | null;
}

/**
 * Says whether the run is worse than the baseline. Regressed: a case without noise that passed no longer does, or p ≤
 * alpha (0.05) with a mean below 0. Else ok: the lower bound of the interval is above −margin (0.05), or no case has
 * noise. Else inconclusive, as it is when there is nothing to compare.
 * Cases without noise take no part in the mean, so that they do not dilute a drop of those that have it.
 */
export function decideComparison(all: readonly ComparedCase[], levels: ComparisonLevels): ComparisonVerdict {
  const { alpha = 0.05, margin = 0.05, seed } = levels;
  const cases = all.filter(isComparable);
  const regressedOutright = cases.filter(isOutrightRegression).map(({ caseId }) => caseId);
  const noisy = cases.filter(({ isDeterministic }) => !isDeterministic);
  const difference = pairedDifference(noisy);
  const counts = { alpha, margin, regressedOutright, cases: cases.length, noisyCases: noisy.length };
  if (difference === null) {
    const verdict = regressedOutright.length > 0 ? "regressed" : cases.length > 0 ? "ok" : "inconclusive";
    return { verdict, ...counts, clusters: 0, p: null, meanDifference: null, interval: null, wouldDecide: null };
  }
  const { mean, interval, clusters } = difference;
  const clusterSums = differencesByCluster(noisy.map((one) => equalTrials(one, seed)));
  const p = signFlipTest(clusterSums, createRandom(seed));
  const isWorse = regressedOutright.length > 0 || (isSignificant(p, alpha) && mean < 0);
  const verdict = isWorse ? "regressed" : interval[0] > -margin ? "ok" : "inconclusive";
  const wouldDecide = verdict === "inconclusive" ? whatWouldDecide(difference, clusterSums, { alpha, margin }) : null;
  return { verdict, ...counts, clusters, p, meanDifference: mean, interval, wouldDecide };
}
