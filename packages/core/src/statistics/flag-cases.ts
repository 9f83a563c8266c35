import { benjaminiHochberg } from "./adjust-p-values.js";
import { isComparable, isOutrightRegression, type ComparedCase } from "./compared-case.js";
import { fisherExact } from "./exact-tests.js";
import { isSignificant } from "./is-significant.js";

export interface FlagLevels {
  /** The share of false flags to expect at most among those that are set; 0.10 by default. */
  falseDiscoveryRate?: number;
  /** The level at which a critical case is tested, by itself; 0.05 by default. */
  alpha?: number;
}

/** What can be said of one case alone. */
export interface CaseFlag {
  caseId: string;
  isCritical: boolean;
  change: "worse" | "better" | "none";
  /** One-sided p-values of Fisher's exact test, not adjusted; null for a case without noise. */
  p: { worse: number; better: number } | null;
}

/**
 * Flags the cases that got worse or better. A case without noise is flagged when its verdict changed. The others are
 * tested by Fisher's exact test, adjusted after Benjamini and Hochberg, for worse and for better apart; a critical case
 * is tested for worse by itself, so that the number of other cases cannot hide it. A single trial on either side flags
 * nothing: it can be chance. Cases without a trial that counts on both sides are left out.
 */
export function flagCases(all: readonly ComparedCase[], levels: FlagLevels = {}): CaseFlag[] {
  const { falseDiscoveryRate = 0.1, alpha = 0.05 } = levels;
  const cases = all.filter(isComparable);
  const noisy = cases.filter(({ isDeterministic }) => !isDeterministic);
  const critical = noisy.filter(({ isCritical }) => isCritical);
  const others = noisy.filter(({ isCritical }) => !isCritical);
  const worse = new Set([
    ...cases.filter(isOutrightRegression),
    ...critical.filter((one) => isSignificant(pWorse(one), alpha)),
    ...discoveries(others, pWorse, falseDiscoveryRate),
  ]);
  const better = new Set([...cases.filter(isOutrightGain), ...discoveries(noisy, pBetter, falseDiscoveryRate)]);
  return cases.map((one) => ({
    caseId: one.caseId,
    isCritical: one.isCritical,
    change: worse.has(one) ? "worse" : better.has(one) ? "better" : "none",
    p: one.isDeterministic ? null : { worse: pWorse(one), better: pBetter(one) },
  }));
}

function discoveries(
  cases: readonly ComparedCase[],
  pOf: (one: ComparedCase) => number,
  rate: number,
): readonly ComparedCase[] {
  const adjusted = benjaminiHochberg(cases.map(pOf));
  return cases.filter((_, index) => isSignificant(adjusted[index] ?? 1, rate));
}

function pWorse({ baseline, candidate }: ComparedCase): number {
  return fisherExact(baseline, candidate);
}

function pBetter({ baseline, candidate }: ComparedCase): number {
  return fisherExact(candidate, baseline);
}

function isOutrightGain({ isDeterministic, baseline, candidate }: ComparedCase): boolean {
  return isDeterministic && !baseline.isPassed && candidate.isPassed;
}
