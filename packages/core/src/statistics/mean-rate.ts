import type { CaseCounts } from "./case-counts.js";
import { intervalOf, measureMean, type MeasuredMean } from "./measured-mean.js";

/** The trials of one case, and the cluster of cases that may go up and down together. */
export interface CaseRate extends CaseCounts {
  cluster: string;
}

export interface MeanRate {
  mean: number;
  /** Clustered; null when there is only one cluster. */
  standardError: number | null;
  /** 95%, within [0, 1]; never of zero width. */
  interval: readonly [number, number];
  /** Cases that have a trial that counts; the others take no part. */
  cases: number;
  clusters: number;
}

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
