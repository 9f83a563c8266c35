import { clusteredMean, sumByCluster } from "./clustered-mean.js";
import { studentTQuantile, studentTTail } from "./measured-mean.js";

/** What the trials of one case took on one side. */
export interface EffortSample {
  /** At least 1. */
  trials: number;
  /** Per trial; not negative. */
  mean: number;
  /** Standard deviation between the trials; null for a single one. */
  spread: number | null;
}

/** A case that took something on both sides. */
export interface PairedEffort {
  /** Cases of one cluster may go up and down together. */
  cluster: string;
  hasNoise: boolean;
  baseline: EffortSample;
  candidate: EffortSample;
}

/** How much more the cases take than in the baseline. */
export interface Growth {
  /** Those that it speaks of: if any has noise, these; none that takes nothing on both sides. */
  cases: number;
  clusters: number;
  /** Means per trial, over these cases. */
  baseline: number;
  candidate: number;
  /** Geometric mean of candidate ÷ baseline, case by case. */
  ratio: number;
  /** 95% of the ratio; null without noise, and with a single cluster. */
  interval: readonly [number, number] | null;
  /** One-sided, that the ratio is above 1; null without noise. */
  p: number | null;
}

/** Logarithms that differ by less are equal. */
const rounding = 1e-9;

/**
 * The growth of a figure, paired by case, on the logarithm of the ratio: half as much and twice as much cancel out, and a
 * case that takes a hundred times as much as another counts no more. The interval is Student's t over clusters. p is that
 * of the same t, and never below 2^−k with k clusters that changed: what the sign-flip test could reach at best, since few
 * changes of equal size, such as one call more, would look certain to t. Null if no case takes anything.
 * Source: L. V. Hedges, J. Gurevitch, P. S. Curtis, "The meta-analysis of response ratios in experimental ecology",
 * Ecology 80 (1999).
 */
export function measureGrowth(pairs: readonly PairedEffort[]): Growth | null {
  const taking = pairs.filter(({ baseline, candidate }) => baseline.mean > 0 || candidate.mean > 0);
  const noisy = taking.filter(({ hasNoise }) => hasNoise);
  const used = noisy.length > 0 ? noisy : taking;
  const values = logRatios(used);
  const mean = clusteredMean(values);
  if (mean === null) return null;
  const meanOf = (side: "baseline" | "candidate"): number =>
    used.reduce((sum, one) => sum + one[side].mean, 0) / used.length;
  const { clusters, standardError: error } = mean;
  return {
    cases: used.length,
    clusters,
    baseline: meanOf("baseline"),
    candidate: meanOf("candidate"),
    ratio: Math.exp(mean.mean),
    ...(noisy.length === 0 ? { interval: null, p: null } : certaintyOf(mean.mean, error, sumByCluster(values))),
  };
}

function certaintyOf(mean: number, error: number | null, sums: readonly number[]): Pick<Growth, "interval" | "p"> {
  if (error === null) return { interval: null, p: 1 };
  const half = error * studentTQuantile(0.95, sums.length - 1);
  const changed = sums.filter((sum) => Math.abs(sum) > rounding).length;
  const tail =
    Math.abs(mean) <= rounding ? 1 : error === 0 ? (mean > 0 ? 0 : 1) : studentTTail(mean / error, sums.length - 1);
  return { interval: [Math.exp(mean - half), Math.exp(mean + half)], p: Math.max(tail, 2 ** -changed) };
}

/**
 * Nothing on one side has no logarithm: it is replaced by half of the least that any case takes, on both sides alike.
 * Source: R. W. Hornung, L. D. Reed, "Estimation of average concentration in the presence of nondetectable values",
 * Appl. Occup. Environ. Hyg. 5 (1990).
 */
function logRatios(pairs: readonly PairedEffort[]): { value: number; cluster: string }[] {
  const means = pairs.flatMap(({ baseline, candidate }) => [baseline.mean, candidate.mean]).filter((mean) => mean > 0);
  const floor = means.reduce((least, mean) => Math.min(least, mean), Number.POSITIVE_INFINITY) / 2;
  const squared = squaredVariation(pairs);
  return pairs.map(({ cluster, baseline, candidate }) => {
    const ratio = Math.log((candidate.mean || floor) / (baseline.mean || floor));
    return { cluster, value: ratio + (squared / 2) * (1 / candidate.trials - 1 / baseline.trials) };
  });
}

/**
 * The mean square of the coefficient of variation of single trials. The logarithm of a mean of n trials is too small by
 * half of it ÷ n, to the second order: single trials would look smaller than five, and five in the run against one in the
 * baseline like growth. Where both sides have as many trials, this cancels out.
 */
function squaredVariation(pairs: readonly PairedEffort[]): number {
  let [sum, samples] = [0, 0];
  for (const { baseline, candidate } of pairs) {
    for (const { spread, mean } of [baseline, candidate]) {
      if (spread === null || mean === 0) continue;
      sum += (spread / mean) ** 2;
      samples += 1;
    }
  }
  return samples === 0 ? 0 : sum / samples;
}
