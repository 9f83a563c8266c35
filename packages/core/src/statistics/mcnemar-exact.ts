import { lowerTail } from "./discrete-tail.js";

/**
 * McNemar's test in its exact form, one-sided: the probability that of the pairs that changed so many or more got worse,
 * if a change for the worse is as likely as one for the better. 1 when nothing changed.
 * Source: Q. McNemar, Psychometrika 12 (1947); the exact form is the sign test, a binomial tail at ½.
 */
export function mcnemarExact(worsened: number, improved: number): number {
  const changed = worsened + improved;
  return lowerTail(0, changed, improved, (x) => (changed - x) / (x + 1));
}
