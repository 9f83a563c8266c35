import { attributionOf } from "../../errors/kindlm-error.js";
import { wilsonInterval } from "../../statistics/wilson.js";
import type { CaseSummary } from "../../summary/case-summary.js";
import type { SuiteResult, TestResult, TrialResult } from "../run-result.js";

/** Whether a trial with `retry_until` passed without a rejected answer. */
export function passesAtFirstTry({ status, tries }: TrialResult): boolean {
  return status === "passed" && tries?.firstTry === true;
}

/**
 * How often the cases with `retry_until` would have passed by first answers alone. Counted as the pass rate is: what
 * errored from outside and failures that are allowed count neither way. Empty where no case has a `retry_until`.
 */
export function firstTryOf(suites: readonly SuiteResult[]): Pick<CaseSummary, "firstTryRate" | "firstTryInterval"> {
  let cases = 0;
  let counting = 0;
  let passed = 0;
  for (const suite of suites) {
    for (const test of suite.tests) {
      if (test.status === "skipped" || test.firstTryPasses === undefined) continue;
      cases += 1;
      if (!isCounted(test)) continue;
      counting += 1;
      if (test.firstTryPasses >= test.required) passed += 1;
    }
  }
  if (cases === 0) return {};
  return {
    firstTryRate: counting === 0 ? null : passed / counting,
    firstTryInterval: wilsonInterval(passed, counting),
  };
}

function isCounted(test: Exclude<TestResult, { status: "skipped" }>): boolean {
  if (test.status === "errored") return attributionOf(test.error) === "agent";
  return test.status === "passed" || test.allowFailure === null;
}
