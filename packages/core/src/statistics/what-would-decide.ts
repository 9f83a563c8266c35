import { isSignificant } from "./is-significant.js";
import { intervalOf, type MeasuredMean } from "./measured-mean.js";
import { normalQuantile } from "./normal-distribution.js";
import type { PairedDifference } from "./paired-difference.js";

/** How much more would probably turn an inconclusive comparison into a verdict; each of the two alone is enough. */
export interface DecidingSize {
  /** Cases in all, of the kind of those compared and with as many trials; null when no number in sight would do. */
  cases: number | null;
  /** Trials of each case, in the baseline as well as in the run; null when no number in sight would do. */
  trials: number | null;
}

/** What the rule of a comparison asks for. */
export interface DecisionLevels {
  /** The p-value from which on the mean of d is lower than chance explains. */
  alpha: number;
  /** The drop of the mean that does not matter. */
  margin: number;
}

/** What a larger comparison would see. */
interface Projection {
  measured: MeasuredMean;
  sum: number;
  sumOfSquares: number;
  nonZeroClusters: number;
  /** Half the distance of neighbouring sums, for the continuity correction. */
  step: number;
}

/** More than this many times what was run is no advice. */
const inSight = 1_000;

/**
 * The smallest sizes at which the rule of the comparison would give a verdict if what was observed stays as it is: the
 * mean, how the clusters differ, and what part of that is the noise of trials. They are a plan, not a promise. Where
 * there are only single trials, which show no noise, all difference between clusters is taken for noise.
 * The test is approximated by the normal distribution with continuity correction.
 */
export function whatWouldDecide(
  observed: PairedDifference,
  clusterSums: readonly number[],
  levels: DecisionLevels,
): DecidingSize {
  const sizes = clusterSums.map((sum) => Math.abs(sum)).filter((size) => size > 1e-9);
  const seen: Projection = {
    measured: observed,
    sum: observed.mean * observed.cases,
    sumOfSquares: sizes.reduce((sum, size) => sum + size * size, 0),
    nonZeroClusters: sizes.length,
    step: sizes.length === 0 ? 0 : Math.min(...sizes),
  };
  const atLeast = (unit: number, grow: (seen: Projection, factor: number) => Projection): number | null => {
    const factor = smallestFactor((candidate) => isDecided(grow(seen, candidate), levels));
    return factor === null ? null : Math.max(Math.floor(unit) + 1, Math.ceil(unit * factor - 1e-6));
  };
  return { cases: atLeast(observed.cases, withMoreCases), trials: atLeast(observed.trials, withMoreTrials) };
}

function isDecided(
  { measured, sum, sumOfSquares, nonZeroClusters, step }: Projection,
  levels: DecisionLevels,
): boolean {
  if (intervalOf(measured)[0] > -levels.margin) return true;
  const isPossible = isSignificant(2 ** -nonZeroClusters, levels.alpha);
  return isPossible && -sum - step >= normalQuantile(1 - levels.alpha) * Math.sqrt(sumOfSquares);
}

function withMoreCases(seen: Projection, factor: number): Projection {
  const { measured } = seen;
  const variance = varianceOf(measured);
  return {
    measured: {
      ...measured,
      clusters: Math.floor(measured.clusters * factor),
      standardError: measured.clusters * factor < 2 ? null : Math.sqrt(variance / factor),
      noise: measured.noise === null ? null : measured.noise / factor,
      worth: measured.worth * factor,
    },
    sum: seen.sum * factor,
    sumOfSquares: seen.sumOfSquares * factor,
    nonZeroClusters: seen.nonZeroClusters * factor,
    step: seen.step,
  };
}

function withMoreTrials(seen: Projection, factor: number): Projection {
  const { measured } = seen;
  const variance = varianceOf(measured);
  const noiseShare = variance === 0 ? 1 : Math.min(1, (measured.noise ?? variance) / variance);
  const shrink = 1 - noiseShare + noiseShare / factor;
  const ofMean = seen.sum ** 2 / measured.clusters;
  return {
    measured: {
      ...measured,
      standardError: measured.standardError === null ? null : Math.sqrt(variance * shrink),
      noise: measured.noise === null ? null : measured.noise / factor,
      worth: measured.worth * factor,
    },
    sum: seen.sum,
    sumOfSquares: ofMean + Math.max(0, seen.sumOfSquares - ofMean) * shrink,
    nonZeroClusters: Math.min(measured.clusters, seen.nonZeroClusters * factor),
    step: seen.step / factor,
  };
}

function varianceOf({ standardError, noise }: MeasuredMean): number {
  return standardError === null ? (noise ?? 0) : standardError ** 2;
}

/** The smallest factor from 1 on that is enough; null when none in sight is. `isEnough` stays true once it is. */
function smallestFactor(isEnough: (factor: number) => boolean): number | null {
  let high = 1;
  while (!isEnough(high)) {
    high *= 2;
    if (high > inSight) return null;
  }
  let low = high / 2;
  for (let step = 0; step < 24; step += 1) {
    const middle = (low + high) / 2;
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return Math.max(1, high);
}
