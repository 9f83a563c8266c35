import type { SuiteResult, TestResult } from "../engine/run-result.js";

type RanTest = Exclude<TestResult, { status: "skipped" }>;

/** The cases some of whose trials passed and some did not, in the order of the config. */
export function flakyCases(suites: readonly SuiteResult[]): readonly RanTest[] {
  const found: RanTest[] = [];
  for (const { tests } of suites)
    for (const test of tests) if (test.status !== "skipped" && test.mixed) found.push(test);
  return found;
}

/** A test with `allow_failure`, over all of its cases that ran. */
export interface QuarantinedTest {
  suite: string;
  test: string;
  reason: string;
  cases: number;
  /** Cases that passed in every trial, failed, and were errored. */
  clean: number;
  failed: number;
  errored: number;
  /** All of its cases passed in every trial: `allow_failure` is no longer needed. */
  passesAgain: boolean;
}

/** The tests whose failures do not count, in the order of the config; those of which nothing ran are left out. */
export function quarantinedTests(suites: readonly SuiteResult[]): readonly QuarantinedTest[] {
  const found: QuarantinedTest[] = [];
  for (const { tests } of suites) {
    const byName = new Map<string, QuarantinedTest>();
    for (const test of tests) {
      if (test.status === "skipped" || test.allowFailure === null) continue;
      let one = byName.get(test.name);
      if (one === undefined) {
        const { suite, name, allowFailure: reason } = test;
        one = { suite, test: name, reason, cases: 0, clean: 0, failed: 0, errored: 0, passesAgain: false };
        byName.set(name, one);
        found.push(one);
      }
      one.cases += 1;
      if (test.status === "failed") one.failed += 1;
      else if (test.status === "errored") one.errored += 1;
      else if (!test.mixed && test.passes > 0) one.clean += 1;
      one.passesAgain = one.clean === one.cases;
    }
  }
  return found;
}
