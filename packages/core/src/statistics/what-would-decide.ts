import { nullable } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { amount } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import { chanceToDecide, isDecided, type DecisionLevels, type Projection } from "./chance-to-decide.js";
import { varianceOf } from "./measured-mean.js";
import type { PairedDifference } from "./paired-difference.js";

/** How much more would probably turn an inconclusive comparison into a verdict; each of the two alone is enough. */
export const decidingSizeShape = record({
  /** Cases in all, of the kind of those compared and with as many trials; null when no number in sight would do. */
  cases: nullable(amount),
  /** Trials of each case, in the baseline as well as in the run; null when no number in sight would do. */
  trials: nullable(amount),
});
export type DecidingSize = Static<typeof decidingSizeShape>;

/** Advice beyond this multiple of the run is useless. */
const inSight = 1_000;
/** How likely a verdict shall be, in the light of what was observed. */
const sureness = 0.85;

/**
 * The smallest sizes at which the rule of the comparison would give a verdict if what was observed stays as it is (the
 * mean, how the clusters differ, and what part of that is the noise of trials), and would give one with a chance of 0.85
 * in view of how far the true mean may be from the observed one. They are a plan, not a promise. For that chance one
 * trial more is taken to have changed than did, since it is rarely true that none ever changes. Where there are only
 * single trials, which show no noise, all difference between clusters is taken for noise.
 */
export function whatWouldDecide(
  observed: PairedDifference,
  clusterSums: readonly number[],
  levels: DecisionLevels,
): DecidingSize {
  const sizes = clusterSums.map((sum) => Math.abs(sum)).filter((size) => size > 1e-9);
  const seen: Projection = {
    measured: observed,
    sumOfSquares: sizes.reduce((sum, size) => sum + size * size, 0),
    nonZeroClusters: sizes.length,
    step: sizes.length === 0 ? 0 : Math.min(...sizes),
  };
  const doubted = withOneChangeMore(seen);
  const atLeast = (unit: number, grow: typeof withMoreCases, uncertainty: number): number | null => {
    const factor = smallestFactor(
      (candidate) =>
        isDecided(grow(seen, candidate), levels) &&
        // What was observed is off the truth by its noise, and what will be by the noise of that.
        chanceToDecide(grow(doubted, candidate), uncertainty * (1 + 1 / candidate), levels) >= sureness,
    );
    return factor === null ? null : Math.max(Math.floor(unit) + 1, Math.ceil(unit * factor - 1e-6));
  };
  const variance = varianceOf(doubted.measured);
  return {
    cases: atLeast(observed.cases, withMoreCases, variance),
    // The cases stay the same: what their trials left open is all that there is to learn.
    trials: atLeast(observed.trials, withMoreTrials, doubted.measured.noise ?? variance),
  };
}

/** As if one trial more had changed than did. */
function withOneChangeMore(seen: Projection): Projection {
  const { measured } = seen;
  const doubt = 1 / measured.worth ** 2;
  return {
    ...seen,
    measured: {
      ...measured,
      standardError: measured.standardError === null ? null : Math.sqrt(measured.standardError ** 2 + doubt),
      noise: measured.noise === null && measured.standardError !== null ? null : (measured.noise ?? 0) + doubt,
    },
    sumOfSquares: seen.sumOfSquares + measured.cases ** 2 * doubt,
    nonZeroClusters: Math.min(measured.clusters, seen.nonZeroClusters + 1),
    step: seen.nonZeroClusters === 0 ? 1 / measured.trials : seen.step,
  };
}

function withMoreCases(seen: Projection, factor: number): Projection {
  const { measured } = seen;
  const variance = varianceOf(measured);
  return {
    measured: {
      ...measured,
      cases: measured.cases * factor,
      clusters: Math.floor(measured.clusters * factor),
      standardError: measured.clusters * factor < 2 ? null : Math.sqrt(variance / factor),
      noise: measured.noise === null ? null : measured.noise / factor,
      worth: measured.worth * factor,
    },
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
  const ofMean = (measured.mean * measured.cases) ** 2 / measured.clusters;
  return {
    measured: {
      ...measured,
      standardError: measured.standardError === null ? null : Math.sqrt(variance * shrink),
      noise: measured.noise === null ? null : measured.noise / factor,
      worth: measured.worth * factor,
    },
    sumOfSquares: ofMean + Math.max(0, seen.sumOfSquares - ofMean) * shrink,
    nonZeroClusters: Math.min(measured.clusters, seen.nonZeroClusters * factor),
    step: seen.step / factor,
  };
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
