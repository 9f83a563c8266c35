import type { SuiteResult, TestResult } from "../engine/run-result.js";

type RanTest = Exclude<TestResult, { status: "skipped" }>;

/** The cases some of whose trials passed and some did not, in the order of the config. */
export function flakyCases(suites: readonly SuiteResult[]): readonly RanTest[] {
  const found: RanTest[] = [];
  for (const { tests } of suites)
    for (const test of tests) if (test.status !== "skipped" && test.mixed) found.push(test);
  return found;
}
