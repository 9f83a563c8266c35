import type { KindlmError, SuiteResult, TestResult } from "@kindlm/core";

/** Cases that errored for one and the same reason. */
export interface ErrorGroup {
  error: KindlmError;
  cases: readonly TestResult[];
}

/** Errored cases by cause: one dead provider is one error, however many cases it took. */
export function groupErrors(suites: readonly SuiteResult[]): readonly ErrorGroup[] {
  const groups = new Map<string, { error: KindlmError; cases: TestResult[] }>();
  for (const test of suites.flatMap(({ tests }) => tests)) {
    if (test.status !== "errored") continue;
    const key = `${test.error.code}\n${test.error.message}`;
    const group = groups.get(key) ?? { error: test.error, cases: [] };
    group.cases.push(test);
    groups.set(key, group);
  }
  return [...groups.values()];
}
