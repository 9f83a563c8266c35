import type { CaseCounts } from "./case-counts.js";

/** A case, seen as the independent sets of trials that its number is made of: one for a rate, two for a difference. */
export interface NoisyCase {
  cluster: string;
  samples: readonly CaseCounts[];
}

/**
 * The variance that the mean over the cases has from its trials alone, estimated without bias: what would remain if the
 * same cases were run again. A single trial shows no noise and is taken to have as much as the others have on average;
 * null when there are only such.
 */
export function trialNoise(cases: readonly NoisyCase[]): number | null {
  let sum = 0;
  let perTrial = 0;
  let measured = 0;
  let single = 0;
  for (const { passes, trials } of cases.flatMap(({ samples }) => samples)) {
    if (trials > 1) {
      const variance = (passes * (trials - passes)) / (trials * (trials - 1));
      sum += variance / trials;
      perTrial += variance;
      measured += 1;
    } else single += 1;
  }
  return measured === 0 ? null : (sum + (single * perTrial) / measured) / cases.length ** 2;
}

/**
 * The trials of a typical case: the harmonic mean over the cases. Of two samples the smaller one counts, since the noise
 * of the other may be nothing: single trials are worth no more because the baseline, in which all passed, has five.
 */
export function typicalTrials(cases: readonly NoisyCase[]): number {
  const inverse = cases.reduce((sum, { samples }) => sum + 1 / Math.min(...samples.map(({ trials }) => trials)), 0);
  return cases.length / inverse;
}

/**
 * The clusters of one size that would be worth as much as these of many sizes: the square of the number of cases by the
 * sum of the squares of the sizes.
 * Source: L. Kish, "Survey Sampling" (1965), the effective sample size.
 */
export function effectiveClusters(cases: readonly NoisyCase[]): number {
  const sizes = new Map<string, number>();
  for (const { cluster } of cases) sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1);
  let squares = 0;
  for (const size of sizes.values()) squares += size * size;
  return cases.length ** 2 / squares;
}
