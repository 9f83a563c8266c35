import { faultOf } from "../errors/kindlm-error.js";
import { firstTryOf } from "./first-try-rate.js";
import { wilsonInterval } from "../statistics/wilson.js";
import type { RunSummary, SuiteResult } from "./run-result.js";
import type { RunTotals } from "./run-totals.js";

/** The counts and sums of a run. Counts are of cases; those of a broken suite count as skipped. */
export function summarize(suites: readonly SuiteResult[], tally: RunTotals): RunSummary {
  const counts = { total: 0, passed: 0, failed: 0, errored: 0, skipped: 0, allowedFailures: 0 };
  let erroredByAgent = 0;
  for (const suite of suites) {
    for (const test of suite.tests) {
      counts.total += 1;
      counts[test.status] += 1;
      if (test.status === "errored" && faultOf(test.error) === "agent") erroredByAgent += 1;
      if (test.status === "failed" && test.allowFailure !== null) counts.allowedFailures += 1;
    }
  }
  // A failure that is allowed is reported but counts neither way.
  const counting = counts.passed + counts.failed - counts.allowedFailures + erroredByAgent;
  return {
    ...counts,
    ...firstTryOf(suites),
    passRate: counting === 0 ? null : counts.passed / counting,
    interval: wilsonInterval(counts.passed, counting),
    ...tally,
  };
}
