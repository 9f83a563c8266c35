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
