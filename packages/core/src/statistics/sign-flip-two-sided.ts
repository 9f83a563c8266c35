import { signFlipTest } from "./sign-flip-test.js";

/**
 * The sign-flip permutation test, two-sided: the probability that the sum of the differences is as far from 0 or
 * farther, whichever way, if each cluster as a whole might as well have had the opposite sign. The distribution is
 * symmetric, so that this is twice the one-sided p of the nearer tail, and at most 1.
 */
export function signFlipTwoSided(clusterSums: readonly number[], random: () => number): number {
  const sum = clusterSums.reduce((total, one) => total + one, 0);
  return Math.min(1, 2 * signFlipTest(sum > 0 ? clusterSums.map((one) => -one) : clusterSums, random));
}
