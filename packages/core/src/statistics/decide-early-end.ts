/** Where a case stands while its trials run. */
export interface CaseStanding {
  passes: number;
  failures: number;
  /** Trials that ended in an error, no matter whose fault it was. */
  errors: number;
  /** Trials that are planned. */
  runs: number;
  /** Passes that the case needs. */
  required: number;
}

/**
 * The verdict of a case that no further trial can change, or null while one can. Ending there gives the same verdict as
 * running all trials; but the rate of a case that was ended is biased and belongs in no rate, pass@k or baseline.
 */
export function decideEarlyEnd(standing: CaseStanding): "passed" | "failed" | "errored" | null {
  const { passes, failures, errors, runs, required } = standing;
  if (passes >= required) return "passed";
  if (runs - failures < required) return "failed";
  const left = runs - passes - failures - errors;
  const canPass = passes + left >= required;
  const canFail = runs - failures - left < required;
  return canPass || canFail ? null : "errored";
}
