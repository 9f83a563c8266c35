import { mcnemarExact } from "./exact-tests.js";
import type { PairedCase } from "./paired-difference.js";

/** Up to here every assignment of signs is looked at: about a million. */
const exactUpTo = 20;
const draws = 10_000;
/** A number of `random` is good for this many signs. */
const signsPerNumber = 30;
/** Not where it is used: V8 would raise it to the power again each time, which takes longer than everything else there. */
const patterns = 2 ** signsPerNumber;
/** Sums that differ by less, relative to all there is, are equal: rates such as 1/3 are rounded. */
const rounding = 1e-9;

/**
 * The sign-flip permutation test, one-sided: the probability that the sum of the differences is as low or lower, if each
 * cluster as a whole might as well have had the opposite sign. Small means that the differences are negative beyond chance.
 *
 * `clusterSums` holds the sum of the differences of each cluster. Exact up to 20 clusters that are not zero, and for any
 * number when they are all of one size, where it is McNemar's exact test; else estimated from 10,000 draws of `random` as
 * (hits + 1) ÷ (draws + 1), which is never too small. 1 when all are zero.
 * Source: R. A. Fisher, "The Design of Experiments" (1935), § 21; for the estimate B. Phipson, G. K. Smyth, "Permutation
 * p-values should never be zero", Stat. Appl. Genet. Mol. Biol. 9 (2010).
 */
export function signFlipTest(clusterSums: readonly number[], random: () => number): number {
  const nonZero = clusterSums.filter((sum) => Math.abs(sum) > rounding);
  const sizes = nonZero.map((sum) => Math.abs(sum)).toSorted((a, b) => b - a);
  const [largest] = sizes;
  const smallest = sizes.at(-1);
  if (largest === undefined || smallest === undefined) return 1;
  if (largest - smallest <= largest * rounding) {
    const worsened = nonZero.filter((sum) => sum < 0).length;
    return mcnemarExact(worsened, nonZero.length - worsened);
  }
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const limit = nonZero.reduce((sum, size) => sum + size, 0) + total * rounding;
  return nonZero.length <= exactUpTo
    ? countAtMost(sizes, 0, 0, total, limit) / 2 ** sizes.length
    : estimate(Float64Array.from(sizes), limit, random);
}

/** How many assignments of signs to the sizes from `index` on bring `sum` to at most `limit`; `rest` is their total. */
function countAtMost(sizes: readonly number[], index: number, sum: number, rest: number, limit: number): number {
  // Where the rest cannot change the answer, all of its assignments are counted at once.
  if (sum + rest <= limit) return 2 ** (sizes.length - index);
  if (sum - rest > limit) return 0;
  const size = sizes[index] ?? 0;
  return (
    countAtMost(sizes, index + 1, sum - size, rest - size, limit) +
    countAtMost(sizes, index + 1, sum + size, rest - size, limit)
  );
}

function estimate(sizes: Float64Array, limit: number, random: () => number): number {
  let hits = 0;
  for (let draw = 0; draw < draws; draw += 1) {
    let sum = 0;
    for (let index = 0; index < sizes.length;) {
      const end = Math.min(sizes.length, index + signsPerNumber);
      // A product instead of a choice: whoever guesses random signs is wrong half of the time, and so is the processor.
      for (let bits = Math.floor(random() * patterns); index < end; bits >>= 1, index += 1) {
        sum += (sizes[index] ?? 0) * ((bits & 1) * 2 - 1);
      }
    }
    if (sum <= limit) hits += 1;
  }
  return (hits + 1) / (draws + 1);
}

/**
 * The sign-flip permutation test, two-sided: the probability that the sum of the differences is as far from 0 or
 * farther, whichever way, if each cluster as a whole might as well have had the opposite sign. The distribution is
 * symmetric, so that this is twice the one-sided p of the nearer tail, and at most 1.
 */
export function signFlipTwoSided(clusterSums: readonly number[], random: () => number): number {
  const sum = clusterSums.reduce((total, one) => total + one, 0);
  return Math.min(1, 2 * signFlipTest(sum > 0 ? clusterSums.map((one) => -one) : clusterSums, random));
}

/** The precision of sums of differences: rates such as 1/3 are rounded. */
const exchangeSteps = 10_000;

/**
 * The exact test for a few cases with many trials, two-sided: the probability that the sum of the differences is as far from 0
 * or farther, if within each case the trials of both sides might as well have been exchanged. It speaks of these cases
 * alone, where the sign-flip test speaks of the kind of cases that they are drawn from. 1 without cases.
 * Source: R. A. Fisher, "The Design of Experiments" (1935), § 21, applied to the trials of each case.
 */
export function trialExchangeTest(cases: readonly PairedCase[]): number {
  let sums = new Map([[0, 1]]);
  let observed = 0;
  for (const { baseline, candidate } of cases) {
    const passes = baseline.passes + candidate.passes;
    const trials = baseline.trials + candidate.trials;
    observed += stepsOf(candidate.passes / candidate.trials - baseline.passes / baseline.trials);
    const next = new Map<number, number>();
    const least = Math.max(0, passes - baseline.trials);
    for (let own = least; own <= Math.min(passes, candidate.trials); own += 1) {
      const chance = Math.exp(
        logChoose(passes, own) +
          logChoose(trials - passes, candidate.trials - own) -
          logChoose(trials, candidate.trials),
      );
      const difference = stepsOf(own / candidate.trials - (passes - own) / baseline.trials);
      for (const [sum, before] of sums) {
        const key = sum + difference;
        next.set(key, (next.get(key) ?? 0) + before * chance);
      }
    }
    sums = next;
  }
  let p = 0;
  // Each case may be off by a step, which must not make p too small.
  for (const [sum, chance] of sums) if (Math.abs(sum) >= Math.abs(observed) - cases.length) p += chance;
  return Math.min(1, p);
}

function stepsOf(difference: number): number {
  return Math.round(difference * exchangeSteps);
}

function logChoose(of: number, chosen: number): number {
  let sum = 0;
  for (let index = 1; index <= chosen; index += 1) sum += Math.log((of - chosen + index) / index);
  return sum;
}
