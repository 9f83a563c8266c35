import { attributionOf } from "../../errors/kindlm-error.js";
import { createMeanRateSum } from "../../statistics/mean-rate-sum.js";
import type { RateStatistics } from "../../summary/case-summary.js";
import { createClusterNumbers } from "./cluster-numbers.js";
import { createPassKCounter } from "./count-pass-k.js";
import type { SuiteResult, TestResult } from "../run-result.js";

type RanTest = Exclude<TestResult, { status: "skipped" }>;

/** What the trials of these cases say of the agent. Computed once, when the run is over. */
export function rateStatisticsOf(suites: readonly SuiteResult[]): RateStatistics {
  const rates = createMeanRateSum();
  const clusterNumberOf = createClusterNumbers();
  const passK = createPassKCounter();
  let ran = 0;
  let erroredOutside = 0;
  const earlyEnd = { cases: 0, endedEarly: 0 };
  for (const suite of suites) {
    for (const test of suite.tests) {
      if (test.status === "skipped") continue;
      ran += 1;
      if (test.status === "errored" && attributionOf(test.error) === "outside") erroredOutside += 1;
      if (test.endedEarly !== undefined) earlyEnd.cases += 1;
      if (test.endedEarly === true) earlyEnd.endedEarly += 1;
      if (!hasUnbiasedRate(test)) continue;
      rates.add(test.passes, test.counted, clusterNumberOf(test));
      passK.add(test.passes, test.counted);
    }
  }
  const found: RateStatistics = {
    meanRate: rates.finish(),
    errorRate: ran === 0 ? null : erroredOutside / ran,
  };
  const ofK = passK.finish();
  if (ofK.length > 0) found.passK = ofK;
  if (earlyEnd.cases > 0) found.earlyEnd = earlyEnd;
  return found;
}

/**
 * Whether passes ÷ counted of the case is an estimate without bias, fit for rates and baselines. It is not where
 * `early_end` may leave out trials, also where it did not: those that ran all their trials are a selection. What
 * `allow_failure` covers is known to be broken and counts in no rate.
 */
export function hasUnbiasedRate(test: RanTest): boolean {
  return test.counted > 0 && test.endedEarly === undefined && test.allowFailure === null;
}
