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
  /** 95 % of the mean of d, within [−1, 1]; never of zero width. */
  interval: readonly [number, number];
  /** The sum of d in each cluster. */
  clusterSums: readonly number[];
}

/** The mean of d with its interval, and what the test of it needs. Null without cases. */
export function pairedDifference(cases: readonly PairedCase[]): PairedDifference | null {
  const differences = cases.map(({ cluster, baseline, candidate }) => ({
    value: candidate.passes / candidate.trials - baseline.passes / baseline.trials,
    cluster,
    samples: [baseline, candidate],
  }));
  const measured = measureMean(differences);
  if (measured === null) return null;
  return { ...measured, interval: intervalOf(measured), clusterSums: sumByCluster(differences) };
}
