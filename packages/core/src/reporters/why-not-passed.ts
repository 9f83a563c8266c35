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
  const { redact } = options;
  if (test.status === "passed") return [];
  if (test.status === "skipped") return [redact(test.reason)];
  const assertions = (await readShownTrial(result, test, options))?.assertions ?? [];
  const mask = maskFor(assertions, redact);
  if (test.status === "errored") return errorLinesOf(test, options).map(mask);
  const runs = test.mixed ? [`${test.passes} of ${test.runs} runs passed (needs ${test.required})`] : [];
  return [...runs, ...failingAssertions(assertions).map(({ type, message }) => mask(`${type}: ${message}`))];
}
