import { rateOf, type MeanRate } from "./mean-rate.js";

/** Takes the cases of {@link meanRate} one by one and keeps two numbers per cluster, for runs of very many cases. */
export interface MeanRateSum {
  /** A case without trials takes no part. `cluster` counts from 0. */
  add(passes: number, trials: number, cluster: number): void;
  finish(): MeanRate | null;
}

/** @param mostClusters - that there can be. Lists that grow leave several times their size behind. */
export function createMeanRateSum(mostClusters: number): MeanRateSum {
  const sums = new Float64Array(mostClusters);
  const sizes = new Uint32Array(mostClusters);
  let cases = 0;
  let total = 0;
  let inverseTrials = 0;
  let noise = 0;
  let noisePerTrial = 0;
  let measured = 0;

  return {
    add(passes, trials, cluster) {
      if (trials === 0) return;
      const rate = passes / trials;
      cases += 1;
      total += rate;
      inverseTrials += 1 / trials;
      sums[cluster] = (sums[cluster] ?? 0) + rate;
      sizes[cluster] = (sizes[cluster] ?? 0) + 1;
      if (trials === 1) return;
      const variance = (passes * (trials - passes)) / (trials * (trials - 1));
      noise += variance / trials;
      noisePerTrial += variance;
      measured += 1;
    },
    finish() {
      if (cases === 0) return null;
      const mean = total / cases;
      let clusters = 0;
      let deviations = 0;
      let squaredSizes = 0;
      for (const [cluster, size] of sizes.entries()) {
        if (size === 0) continue;
        clusters += 1;
        deviations += ((sums[cluster] ?? 0) - size * mean) ** 2;
        squaredSizes += size * size;
      }
      const trials = cases / inverseTrials;
      return rateOf({
        mean,
        standardError: clusters === 1 ? null : Math.sqrt((deviations * clusters) / (clusters - 1)) / cases,
        clusters,
        cases,
        noise: measured === 0 ? null : (noise + ((cases - measured) * noisePerTrial) / measured) / cases ** 2,
        trials,
        worth: (cases ** 2 / squaredSizes) * trials,
      });
    },
  };
}
