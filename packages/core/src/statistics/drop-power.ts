import { isSignificant } from "./is-significant.js";
import { normalCdf, normalQuantile } from "./normal-distribution.js";

/** A comparison that is planned. */
export interface DropDesign {
  cases: number;
  /** Trials of each case, in the baseline and in the run alike. */
  trials: number;
  /** The pass rate of the baseline. */
  baselineRate: number;
  /** How much the true differences of the cases differ: their standard deviation. 0 by default: all drop alike. */
  spread?: number;
  /** 0.05 by default. */
  alpha?: number;
}

/**
 * The probability that a comparison of this size says *regressed* when the mean rate has dropped by `drop`,
 * which is at most the rate of the baseline. For cases that are independent and of one rate; where rates differ between
 * cases there is less noise, and the power is higher.
 *
 * The test says so about when T − s − z √Q ≥ 0, where T is the sum of the drops, Q that of their squares and s the
 * smallest step; the left side is taken for normal, with mean and variance by the delta method. Within 0.05 of the exact
 * power from 20 single trials on; with several trials and few cases up to 0.08 too low. For many cases it is the power of
 * the source, with a variance of ω² + σ² ÷ k + σ² ÷ k per case.
 * Source: E. Miller, "Adding Error Bars to Evals", arXiv 2411.00640, equations 9 and 10, for a one-sided test.
 */
export function powerOfDrop(design: DropDesign, drop: number): number {
  const { cases, trials, baselineRate, spread = 0, alpha = 0.05 } = design;
  // Even if every case dropped, the p-value of so few could not reach alpha.
  if (!isSignificant(2 ** -cases, alpha)) return 0;
  const before = cumulants(baselineRate, trials);
  const after = cumulants(baselineRate - drop, trials);
  const variance = spread ** 2 + before.second + after.second;
  if (variance === 0) return drop > 0 ? 1 : 0;
  const third = before.third - after.third;
  const square = variance + drop ** 2;
  const squareVariance = before.fourth + after.fourth + 2 * variance ** 2 + 4 * drop * third + 4 * drop ** 2 * variance;
  // How much z √Q moves with each square, per case.
  const pull = normalQuantile(1 - alpha) / (2 * Math.sqrt(cases * square));
  const mean = cases * drop - 1 / trials - 2 * pull * cases * square;
  const perCase = variance - 2 * pull * (third + 2 * drop * variance) + pull ** 2 * squareVariance;
  return normalCdf(mean / Math.sqrt(cases * Math.max(perCase, Number.MIN_VALUE)));
}

/** The second to fourth cumulant of the share of passes among so many trials. */
function cumulants(rate: number, trials: number): { second: number; third: number; fourth: number } {
  const noise = rate * (1 - rate);
  return {
    second: noise / trials,
    third: (noise * (1 - 2 * rate)) / trials ** 2,
    fourth: (noise * (1 - 6 * noise)) / trials ** 3,
  };
}

/** The smallest drop that a comparison of this size finds with this power; null when it finds none. */
export function minimumDetectableDrop(design: DropDesign, power = 0.8): number | null {
  let high = design.baselineRate;
  if (powerOfDrop(design, high) < power) return null;
  let low = 0;
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2;
    if (powerOfDrop(design, middle) < power) low = middle;
    else high = middle;
  }
  return high;
}

/** The number of cases from which on a drop is found with this power; null when a million would not do. */
export function casesToDetect(design: Omit<DropDesign, "cases">, drop: number, power = 0.8): number | null {
  return smallestWhole(1_000_000, (cases) => powerOfDrop({ ...design, cases }, drop) >= power);
}

/** The number of trials per case from which on a drop is found with this power; null when 10,000 would not do. */
export function trialsToDetect(design: Omit<DropDesign, "trials">, drop: number, power = 0.8): number | null {
  return smallestWhole(10_000, (trials) => powerOfDrop({ ...design, trials }, drop) >= power);
}

function smallestWhole(limit: number, isEnough: (size: number) => boolean): number | null {
  let high = 1;
  while (!isEnough(high)) {
    if (high >= limit) return null;
    high = Math.min(limit, high * 2);
  }
  let low = Math.floor(high / 2);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}
