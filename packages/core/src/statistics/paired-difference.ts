import type { CaseCounts } from "./case-counts.js";
import { sumByCluster } from "./clustered-mean.js";
import { intervalOf, measureMean, type MeasuredMean } from "./measured-mean.js";

/** The trials of one case in the baseline and in the run that is compared with it. */
export interface PairedCase {
  /** Cases of one cluster may go up and down together. */
  cluster: string;
  /** At least one trial. */
  baseline: CaseCounts;
  /** At least one trial. */
  candidate: CaseCounts;
}

/** d = candidate rate − baseline rate, case by case: negative is worse. */
export interface PairedDifference extends MeasuredMean {
  /** Of the mean of d, within [−1, 1]; never of zero width. */
  interval: readonly [number, number];
}

/** The mean of d with its interval. Null without cases. */
export function pairedDifference(cases: readonly PairedCase[], confidence = 0.95): PairedDifference | null {
  // Written out, since V8 of Node 20 takes microseconds to add a key to a copy.
  const measured = measureMean(
    cases.map((one) => ({ value: valueOf(one), cluster: one.cluster, samples: [one.baseline, one.candidate] })),
  );
  return measured === null ? null : { ...measured, interval: intervalOf(measured, confidence) };
}

/** The sum of d in each cluster. */
export function differencesByCluster(cases: readonly PairedCase[]): number[] {
  return sumByCluster(cases.map((one) => ({ value: valueOf(one), cluster: one.cluster })));
}

function valueOf({ baseline, candidate }: PairedCase): number {
  return candidate.passes / candidate.trials - baseline.passes / baseline.trials;
}
