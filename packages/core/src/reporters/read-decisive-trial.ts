import type { RunResult, TestResult, TrialResult } from "../engine/run-result.js";

/**
 * The trial that best explains the result of a case: `decisiveTrial`, transcript included. Reads the trials of the
 * case one after the other and keeps none of the others. Null for a case that never ran, and where the trial is lost.
 */
export async function readDecisiveTrial(
  result: Pick<RunResult, "trials">,
  test: TestResult,
): Promise<TrialResult | null> {
  if (test.status === "skipped") return null;
  for await (const trial of result.trials(test.id)) if (trial.trial === test.decisiveTrial) return trial;
  return null;
}
