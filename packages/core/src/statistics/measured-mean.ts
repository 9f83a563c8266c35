import { clusteredMean, type ClusteredMean, type ClusteredValue } from "./clustered-mean.js";
import { normalQuantile } from "./normal-distribution.js";
import { pseudoTrialInterval, type BoundedMean } from "./pseudo-trial-interval.js";
import { studentTQuantile } from "./student-t.js";
import { effectiveClusters, trialNoise, typicalTrials, type NoisyCase } from "./trial-noise.js";

/** A value of one case, with the trials that it was computed from. */
export interface MeasuredCase extends ClusteredValue, NoisyCase {}

/** The mean over cases, and what its interval depends on. */
export interface MeasuredMean extends ClusteredMean {
  cases: number;
  /** The variance that comes from the trials alone; null when there are only single trials, which do not show it. */
  noise: number | null;
  /** The trials of a typical case. */
  trials: number;
  /** How many independent trials the mean is worth. */
  worth: number;
}

/** The mean of the values of the cases, each of which has trials in every sample; null without cases. */
export function measureMean(cases: readonly MeasuredCase[]): MeasuredMean | null {
  const mean = clusteredMean(cases);
  if (mean === null) return null;
  const trials = typicalTrials(cases);
  return {
    ...mean,
    cases: cases.length,
    noise: trialNoise(cases),
    trials,
    // Cases of one cluster may move as one, and are then worth no more than one.
    worth: effectiveClusters(cases) * trials,
  };
}

/**
 * The pseudo-trial interval of a mean of values in [−1, 1]. Its noise is taken from how the clusters differ; with a
 * single cluster from how its trials differ, and then it speaks of these cases alone.
 */
export function intervalOf(measured: MeasuredMean, confidence = 0.95): readonly [number, number] {
  return pseudoTrialInterval(boundedMean(measured, confidence), confidence);
}

/** What the interval is made of. */
export function boundedMean(measured: MeasuredMean, confidence = 0.95): BoundedMean {
  const { mean, standardError, clusters, noise, worth } = measured;
  return standardError === null
    ? { mean, standardError: Math.sqrt(noise ?? 0), quantile: normalQuantile((1 + confidence) / 2), worth }
    : { mean, standardError, quantile: studentTQuantile(confidence, clusters - 1), worth };
}

/** The variance of the mean, from how the clusters differ, or with a single cluster from how its trials do. */
export function varianceOf({ standardError, noise }: MeasuredMean): number {
  return standardError === null ? (noise ?? 0) : standardError ** 2;
}
