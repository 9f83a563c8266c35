import { described } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { share } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import { isSignificant } from "./is-significant.js";
import { boundedMean, intervalOf, type MeasuredMean } from "./measured-mean.js";
import { pseudoTrialInterval } from "./pseudo-trial-interval.js";
import { normalCdf, normalQuantile } from "./normal-distribution.js";

/** What the rule of a comparison asks for. */
export const decisionLevelsShape = record({
  /** The p-value from which on the mean of d is lower than chance explains. */
  alpha: described("From this adjusted p-value on a drop is more than chance", share),
  /** The drop of the mean that does not matter. */
  margin: described("The drop of the mean that does not matter", share),
});
export type DecisionLevels = Static<typeof decisionLevelsShape>;

/** What another comparison, mostly a larger one, would see. */
export interface Projection {
  measured: MeasuredMean;
  sumOfSquares: number;
  nonZeroClusters: number;
  /** Half the distance of neighboring sums, for the continuity correction. */
  step: number;
}

/**
 * True when the rule gives a verdict on just this. The test is approximated by the normal distribution with continuity
 * correction.
 */
export function isDecided(projection: Projection, levels: DecisionLevels): boolean {
  const { measured } = projection;
  return intervalOf(measured)[0] > -levels.margin || measured.mean <= regressedUpTo(projection, levels);
}

/** The chance of a verdict if the mean that the comparison sees has the variance `spread` around the observed one. */
export function chanceToDecide(projection: Projection, spread: number, levels: DecisionLevels): number {
  const { measured } = projection;
  const regressed = regressedUpTo(projection, levels);
  const ok = okFrom(measured, levels.margin);
  if (regressed >= ok) return 1;
  const deviation = Math.sqrt(spread);
  return normalCdf((regressed - measured.mean) / deviation) + normalCdf((measured.mean - ok) / deviation);
}

/** The mean up to which the test says regressed. */
function regressedUpTo({ measured, sumOfSquares, nonZeroClusters, step }: Projection, levels: DecisionLevels): number {
  if (!isSignificant(2 ** -nonZeroClusters, levels.alpha)) return Number.NEGATIVE_INFINITY;
  return -(step + normalQuantile(1 - levels.alpha) * Math.sqrt(sumOfSquares)) / measured.cases;
}

/** The mean from which on the interval leaves no room for a drop of the margin; 1 where none does. */
function okFrom(measured: MeasuredMean, margin: number): number {
  const bounded = boundedMean(measured);
  let low = -margin;
  let high = 1;
  for (let step = 0; step < 14; step += 1) {
    const middle = (low + high) / 2;
    if (pseudoTrialInterval({ ...bounded, mean: middle })[0] > -margin) high = middle;
    else low = middle;
  }
  return high;
}
