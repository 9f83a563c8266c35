import type { CaseCounts } from "./case-counts.js";

/**
 * pass^k: the probability that all of k trials pass, estimated without bias from n ≥ k trials of which c passed:
 * C(c, k) ÷ C(n, k). Null when there are fewer than k trials.
 * Source: S. Yao et al., "τ-bench", arXiv 2406.12045.
 */
export function passHatK({ passes, trials }: CaseCounts, k: number): number | null {
  if (trials < k) return null;
  let allPass = 1;
  for (let index = 0; index < k; index += 1) allPass *= Math.max(0, passes - index) / (trials - index);
  return allPass;
}

/** The mean of {@link passHatK} over the cases that have k trials; null when none has. */
export function meanPassHatK(cases: readonly CaseCounts[], k: number): number | null {
  const estimates = cases.map((counts) => passHatK(counts, k)).filter((estimate) => estimate !== null);
  return estimates.length === 0 ? null : estimates.reduce((sum, estimate) => sum + estimate, 0) / estimates.length;
}
