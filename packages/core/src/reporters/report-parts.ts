import { assertionShape, type AssertionResult } from "../assertions/assertion-result.js";
import { caseShape } from "../engine/case-result.js";
import { runComparisonShape, type RunComparison } from "../summary/comparison-result.js";
import type { TestResult } from "../engine/run-result.js";
import type { JsonObject } from "../values/json.js";
import type { RenderOptions } from "./define-reporter.js";
import { caseView, reportView } from "./report-view.js";

/** The verdict of a case as it is reported, without its trials; `assertions` are those of the decisive one. */
export function caseReport(
  test: TestResult,
  assertions: readonly AssertionResult[],
  options: Pick<RenderOptions, "redact" | "verbose">,
): JsonObject {
  const view = caseView(assertions, options);
  const reported = caseShape.report(test, view);
  if (test.status === "skipped") return reported;
  return Object.assign(reported, {
    assertions: assertions.map((one) => assertionShape.report(one, view.said ?? view)),
  });
}

/** How a run stands against its baselines, as it is reported. */
export function reportedComparison(
  comparison: RunComparison,
  options: Pick<RenderOptions, "redact" | "verbose">,
): JsonObject {
  return runComparisonShape.report(comparison, reportView(options));
}
