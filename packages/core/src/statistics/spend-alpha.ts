import { normalQuantile } from "./normal-distribution.js";

/** A comparison that looks at its trials more than once. */
export interface PlannedLooks {
  /** Trials of all its cases at each look, from the first to the last. */
  trials: readonly number[];
  /** The look that was reached, from 1. */
  reached: number;
}

/** More looks than this split the level so far that the last one finds less than it is worth. */
const mostLooks = 5;
/** Between 1, which spends much on the first look, and 2, which leaves it nearly nothing. */
const exponent = 1.5;
/** The power at which designs are compared. */
const power = 0.8;

/** How often a case of `min` to `max` trials may be looked at: its trials double from look to look. */
export function looksBetween(min: number, max: number): number {
  return max <= min ? 1 : Math.min(mostLooks, 1 + Math.ceil(Math.log2(max / min)));
}

/** The trials that a case has at a look, from 1 to `looks`: `min` at the first, `max` at the last, in even ratios between. */
export function trialsAtLook({ min, max }: { min: number; max: number }, look: number, looks: number): number {
  return looks === 1 ? min : Math.round(min * (max / min) ** ((look - 1) / (looks - 1)));
}

/**
 * The share of the level that the look may spend; the shares of all looks make 1. After Kim and DeMets: when the share t of
 * the trials is in, t^1.5 of the level is spent. Each look is tested at what it may spend by itself, so that the level holds by
 * Boole's inequality, whatever the looks have in common: that costs a little power and assumes nothing. The shares do not
 * depend on the level, so p ÷ share is the p-value of a suite that may be adjusted over suites.
 * Source: K. K. G. Lan, D. L. DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70 (1983); the family is
 * that of K. Kim, D. L. DeMets, "Design and analysis of group sequential tests based on the type I error spending rate
 * function", Biometrika 74 (1987).
 */
export function shareOfLook({ trials, reached }: PlannedLooks): number {
  const all = trials.at(-1) ?? 1;
  const spentAt = (look: number): number => (look === 0 ? 0 : ((trials[look - 1] ?? all) / all) ** exponent);
  return spentAt(reached) - spentAt(reached - 1);
}

/**
 * The trials of a design with a single look that finds as much as the last look does, at a power of 0.8. Both tests are
 * approximated by the normal distribution, in which the trials that a test needs go with (z of its level + z of its power)².
 */
export function fixedTrialsOf({ trials }: PlannedLooks, alpha: number): number {
  const [all, last] = [trials.at(-1) ?? 0, shareOfLook({ trials, reached: trials.length })];
  const needed = (level: number): number => (normalQuantile(1 - level) + normalQuantile(power)) ** 2;
  return Math.ceil((all * needed(alpha)) / needed(alpha * last));
}
