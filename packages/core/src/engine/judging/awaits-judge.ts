import type { TrialResult } from "../run-result.js";

/**
 * True for a trial whose conversation came to its end and that only a judge kept from its verdict: it need not be held
 * again to be judged.
 */
export function awaitsJudge({ status, error, assertions }: TrialResult): boolean {
  if (status !== "errored" || error.code !== "JUDGE_EVAL_ERROR") return false;
  return assertions.some((assertion) => assertion.error?.code === "JUDGE_EVAL_ERROR");
}
