import type { RunResult, TestResult } from "@kindlm/core";
import { didYouMean, plural } from "@kindlm/core/program";
import { UsageError } from "../../errors/usage-error.js";

/**
 * The cases that a word stands for: a number in the list of those that did not pass, an ID, or a part of IDs. Without a
 * word those that did not pass. Throws a UsageError if there is none.
 */
export function selectCases({ run, suites }: RunResult, wanted: string | undefined): readonly TestResult[] {
  const tests = suites.flatMap((suite) => suite.tests);
  const notPassed = tests.filter(({ status }) => status === "failed" || status === "errored");
  if (wanted === undefined) return notPassed;
  const exact = tests.filter(({ id }) => id === wanted);
  if (exact.length > 0) return exact;
  const matching = tests.filter(({ id }) => id.includes(wanted));
  if (/^\d+$/.test(wanted)) {
    const numbered = notPassed[Number(wanted) - 1];
    if (numbered !== undefined) return [numbered];
    if (matching.length === 0) {
      const what = notPassed.length === 0 ? "Every case passed" : `${plural(notPassed.length, "case")} did not pass`;
      throw new UsageError(`Run ${run.id} has no case ${wanted} in the list of those that did not pass`, what);
    }
  }
  if (matching.length > 0) return matching;
  const ids = tests.map(({ id }) => id);
  const names = tests.map(({ name }) => name);
  const fix = didYouMean(wanted, ids) ?? didYouMean(wanted, names) ?? "List all cases: kindlm test --list";
  throw new UsageError(`No case of run ${run.id} matches "${wanted}"`, fix);
}
