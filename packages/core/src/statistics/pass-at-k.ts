import type { CaseCounts } from "./case-counts.js";

/**
 * pass@k: the probability that at least one of k trials passes, estimated without bias from n ≥ k trials of which c
 * passed: 1 − C(n − c, k) ÷ C(n, k). Null when there are fewer than k trials.
 * Source: M. Chen et al., "Evaluating Large Language Models Trained on Code", arXiv 2107.03374, equation 1.
 */
export function passAtK({ passes, trials }: CaseCounts, k: number): number | null {
  if (trials < k) return null;
  let allFail = 1;
  for (let index = 0; index < k; index += 1) allFail *= Math.max(0, trials - passes - index) / (trials - index);
  return 1 - allFail;
}

/** The mean of {@link passAtK} over the cases that have k trials; null when none has. */
export function meanPassAtK(cases: readonly CaseCounts[], k: number): number | null {
  const estimates = cases.map((counts) => passAtK(counts, k)).filter((estimate) => estimate !== null);
  return estimates.length === 0 ? null : estimates.reduce((sum, estimate) => sum + estimate, 0) / estimates.length;
}
