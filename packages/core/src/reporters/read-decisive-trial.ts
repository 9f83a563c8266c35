import type { RunResult, TestResult, TrialResult } from "../engine/run-result.js";

/**
 * The trial that best explains the result of a case: `decisiveTrial`, transcript included. Reads the trials of the
 * case one after the other and keeps none of the others. Null for a case that never ran, and where the trial is lost.
 */
export async function readDecisiveTrial(
  result: Pick<RunResult, "trials">,
  test: TestResult,
): Promise<TrialResult | null> {
  return test.status === "skipped" ? null : readTrial(result, test.id, test.decisiveTrial);
}

/** One trial of a case, transcript included. Null if there is none of this number. */
export async function readTrial(
  result: Pick<RunResult, "trials">,
  caseId: string,
  number: number,
): Promise<TrialResult | null> {
  for await (const trial of result.trials(caseId)) if (trial.trial === number) return trial;
  return null;
}
