import type { CaseCounts } from "./case-counts.js";

/** One side of a comparison of a case. */
export interface ComparedSide extends CaseCounts {
  /** The verdict of the case, by the passes that it needs. */
  isPassed: boolean;
}

/** A case that is the same in the baseline and in the run: equal caseId, equal checkHash. */
export interface ComparedCase {
  caseId: string;
  /** Cases of one cluster may go up and down together. */
  cluster: string;
  /** True for a replay, and for a scripted model without `choose`. */
  isDeterministic: boolean;
  isCritical: boolean;
  baseline: ComparedSide;
  candidate: ComparedSide;
  /** Where hostile text was slipped in on both sides: the trials that it reached, which pass if the attack failed. */
  attacks?: { baseline: ComparedSide; candidate: ComparedSide };
  /** Trials beyond those of the candidate, which ran because these did not decide. A case is tested alone without them. */
  further?: CaseCounts & { attacks?: CaseCounts };
}

/** True when both sides have a trial that counts; nothing can be said of any other case. */
export function isComparable({ baseline, candidate }: ComparedCase): boolean {
  return baseline.trials > 0 && candidate.trials > 0;
}

/**
 * True for a case without noise that passed and no longer does, or on which an attack succeeds that failed: a regression
 * outright, there is nothing to test.
 */
export function isOutrightRegression({ isDeterministic, baseline, candidate, attacks }: ComparedCase): boolean {
  if (!isDeterministic) return false;
  const sides = [{ baseline, candidate }, ...(attacks === undefined ? [] : [attacks])];
  return sides.some((side) => side.baseline.isPassed && !side.candidate.isPassed);
}
