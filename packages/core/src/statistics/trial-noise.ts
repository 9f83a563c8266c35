import type { CaseCounts } from "./case-counts.js";

/** A case, seen as the independent sets of trials that its number is made of: one for a rate, two for a difference. */
export interface NoisyCase {
  cluster: string;
  samples: readonly CaseCounts[];
}

/**
 * The variance that the mean over the cases has from its trials alone, estimated without bias: what would remain if the
 * same cases were run again. Null when a sample has a single trial, which shows no noise.
 */
export function trialNoise(cases: readonly NoisyCase[]): number | null {
  let sum = 0;
  for (const { samples } of cases) {
    for (const { passes, trials } of samples) {
      if (trials < 2) return null;
      const rate = passes / trials;
      sum += (rate * (1 - rate)) / (trials - 1);
    }
  }
  return sum / cases.length ** 2;
}

/** The trials per sample that would give the same noise if all samples had as many: the harmonic mean. */
export function typicalTrials(cases: readonly NoisyCase[]): number {
  let samples = 0;
  let inverse = 0;
  for (const one of cases) {
    for (const { trials } of one.samples) {
      samples += 1;
      inverse += 1 / trials;
    }
  }
  return samples / inverse;
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
