import type { TestResult } from "../engine/run-result.js";

/** What is to be said of the trials of a case beside its verdict; empty where they all came out alike, and all ran. */
export function describeRuns(test: Exclude<TestResult, { status: "skipped" }>): string {
  const { mixed, passes, runs, required, endedEarly, trialsRun = runs } = test;
  const parts = [
    ...(mixed ? [`${passes} of ${trialsRun} runs passed (needs ${required})`] : []),
    ...(endedEarly === true ? [`ended early after ${trialsRun} of ${runs} runs`] : []),
  ];
  return parts.join(", ");
}
