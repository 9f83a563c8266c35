import type { SuiteResult, TestResult } from "@kindlm/core";
import { plural } from "@kindlm/core/program";

/** Names the cases of a suite: by the test's name if that is enough, else by their ID. */
export function caseNames(suite: SuiteResult): (test: TestResult) => string {
  const counts = new Map<string, number>();
  for (const test of suite.tests) counts.set(test.name, (counts.get(test.name) ?? 0) + 1);
  const prefix = `${suite.name}/`;
  return (test) => {
    if (counts.get(test.name) === 1) return test.name;
    return test.id.startsWith(prefix) ? test.id.slice(prefix.length) : test.id;
  };
}

/** `3 tests`, or `3 tests, 9 cases` where models and rows multiply them. */
export function countTests(suite: SuiteResult): string {
  const tests = new Set(suite.tests.map((test) => test.name)).size;
  const cases = suite.tests.length;
  return cases === tests ? plural(tests, "test") : `${plural(tests, "test")}, ${plural(cases, "case")}`;
}
