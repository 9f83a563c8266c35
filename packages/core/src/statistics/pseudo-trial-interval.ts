import { normalQuantile } from "./normal-distribution.js";

/** The mean over cases of something that each trial puts at one of two ends: −1 and 1. */
export interface BoundedMean {
  mean: number;
  /** From how the clusters differ. */
  standardError: number;
  /** The quantile of Student's t, or of the normal distribution, that belongs to `standardError`. */
  quantile: number;
  /** How many independent trials the mean is worth. */
  worth: number;
}

/**
 * An interval in [−1, 1] that is never of zero width: to what was observed, z² pseudo-trials are added, half of them at
 * either end, and the interval is that of all together, each part with its own quantile.
 *
 * Why so: when every case comes out as before, the usual error is 0, and an interval of zero width claims to know what
 * which so few trials cannot show. The z² pseudo-trials make the interval of n pairs without a difference ±z² ÷ (n + z²),
 * which is the score interval, and as the trials grow it becomes the t interval. Two pseudo-trials, as Bonett and Price
 * add, are too few there: with 54 pairs a drop of 0.05 would be ruled out that goes unseen in 6% of the runs.
 * Source: the weight of A. Agresti, B. A. Coull, "Approximate is better than exact", Am. Stat. 52 (1998), put on pairs
 * as by D. G. Bonett, R. M. Price, J. Educ. Behav. Stat. 37 (2012); the score interval is that of T. Tango, Stat. Med. 17
 * (1998).
 */
export function pseudoTrialInterval(observed: BoundedMean, confidence = 0.95): readonly [number, number] {
  const { mean, standardError, quantile, worth } = observed;
  const squared = normalQuantile((1 + confidence) / 2) ** 2;
  const all = worth + squared;
  const center = (worth * mean) / all;
  const observedHalf = (quantile * standardError * worth) / all;
  const pseudoSquares = squared * (1 + center * center) + worth * (mean - center) ** 2;
  const half = Math.hypot(observedHalf, Math.sqrt(squared * pseudoSquares) / all);
  return [Math.max(-1, center - half), Math.min(1, center + half)];
}
