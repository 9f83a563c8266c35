import type { RenderOptions } from "./define-reporter.js";
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

/** Number of the trial that is shown of a case: one that failed in its commonest way, if somebody knows the ways. */
export function shownTrialOf(
  test: Exclude<TestResult, { status: "skipped" }>,
  { shownTrial }: Pick<RenderOptions, "shownTrial">,
): number | Promise<number> {
  return test.status === "failed" && shownTrial !== undefined ? shownTrial(test) : test.decisiveTrial;
}

/** The trial that is shown of a case. Null for a case that never ran, and if the trial is lost. */
export async function readShownTrial(
  result: Pick<RunResult, "trials">,
  test: TestResult,
  options: Pick<RenderOptions, "shownTrial">,
): Promise<TrialResult | null> {
  return test.status === "skipped" ? null : readTrial(result, test.id, await shownTrialOf(test, options));
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
