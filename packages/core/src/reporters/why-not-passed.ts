import type { AssertionResult } from "../assertions/assertion-result.js";
import type { RunResult, TestResult } from "../engine/run-result.js";
import { maskFor } from "./case-mask.js";
import { errorLinesOf, type RenderOptions } from "./define-reporter.js";
import { failingAssertions } from "./failing-assertions.js";
import { readShownTrial } from "./read-decisive-trial.js";

/** What kept a case from passing, one line per reason, secrets masked; empty for one that passed. */
export async function whyNotPassed(
  test: TestResult,
  result: Pick<RunResult, "trials">,
  options: RenderOptions,
): Promise<readonly string[]> {
  if (test.status === "passed") return [];
  if (test.status === "skipped") return [options.redact(test.reason)];
  return whyFailed(test, (await readShownTrial(result, test, options))?.assertions ?? [], options);
}

/** The same of a case that ran, with what the assertions of its shown trial found. */
export function whyFailed(
  test: TestResult & { status: "failed" | "errored" },
  assertions: readonly AssertionResult[],
  options: RenderOptions,
): readonly string[] {
  const mask = maskFor(assertions, options.redact);
  if (test.status === "errored") return errorLinesOf(test, options).map(mask);
  const runs = test.mixed ? [`${test.passes} of ${test.runs} runs passed (needs ${test.required})`] : [];
  return [...runs, ...failingAssertions(assertions).map(({ type, message }) => mask(`${type}: ${message}`))];
}
