import { described, nullable } from "../shape/compound.js";
import { rateInterval } from "../shape/interval.js";
import { record } from "../shape/record.js";
import { count, pace, rate } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import type { CaseCounts } from "./case-counts.js";
import { intervalOf, measureMean, type MeasuredMean } from "./measured-mean.js";

/** The trials of one case, and the cluster of cases that may go up and down together. */
export interface CaseRate extends CaseCounts {
  cluster: string;
}

export const meanRateShape = record({
  mean: rate,
  /** Clustered; null when there is only one cluster. */
  standardError: described("Clustered; null with one cluster", nullable(pace)),
  /** 95%, within [0, 1]; never of zero width. */
  interval: rateInterval,
  /** Cases that have a trial that counts; the others take no part. */
  cases: count,
  clusters: count,
});
export type MeanRate = Static<typeof meanRateShape>;

/**
 * The mean of the pass rates of the cases, each of which counts as one however many trials it has, with its clustered
 * standard error and the pseudo-trial interval, which is the t interval except where rates near 0 or 1 would make that
 * too narrow. Null when no case has a trial.
 */
export function meanRate(cases: readonly CaseRate[]): MeanRate | null {
  const measured = measureMean(
    cases
      .filter(({ trials }) => trials > 0)
      .map((one) => ({ value: one.passes / one.trials, cluster: one.cluster, samples: [one] })),
  );
  return measured === null ? null : rateOf(measured);
}

/** The mean of numbers in [0, 1] with its interval. */
export function rateOf(measured: MeasuredMean): MeanRate {
  const { mean, standardError, noise, clusters } = measured;
  // The interval is made for values in [−1, 1].
  const [low, high] = intervalOf({
    ...measured,
    mean: 2 * mean - 1,
    standardError: standardError === null ? null : 2 * standardError,
    noise: noise === null ? null : 4 * noise,
  });
  return { mean, standardError, interval: [(1 + low) / 2, (1 + high) / 2], cases: measured.cases, clusters };
}
