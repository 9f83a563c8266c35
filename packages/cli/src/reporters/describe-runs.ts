import type { TestResult } from "@kindlm/core";

/** Remarks about the trials of a case in addition to its verdict; empty if all ran with the same result. */
export function describeRuns(test: Exclude<TestResult, { status: "skipped" }>): string {
  const { mixed, passes, runs, required, endedEarly, trialsRun = runs } = test;
  const parts = [
    ...(mixed ? [`${passes} of ${trialsRun} runs passed (needs ${required})`] : []),
    ...(endedEarly === true ? [`ended early after ${trialsRun} of ${runs} runs`] : []),
  ];
  return parts.join(", ");
}
