import type { TestResult } from "../engine/run-result.js";
import { attributionOf } from "../errors/kindlm-error.js";

/** A case that ran. */
export type RanTest = Exclude<TestResult, { status: "skipped" }>;

/** A case that says something about its agent, or why it says nothing. */
export type Usability = { test: RanTest; reason: null } | { test: TestResult; reason: string };

/**
 * Whether a case can be saved and compared. A mistake of the agent counts as not passed, and so does an endless loop. An
 * error from outside says nothing, and neither does another model's answer or a rate that depends on how trials ended.
 */
export function usabilityOf(test: TestResult): Usability {
  if (test.status === "skipped") return { test, reason: `skipped: ${test.reason}` };
  if (test.fallback !== null) return { test, reason: `answered by ${test.fallback} in its place` };
  if (test.status === "errored" && attributionOf(test.error) === "outside") {
    return { test, reason: `errored: ${test.error.code}` };
  }
  if (test.endedEarly !== undefined) {
    return { test, reason: test.endedEarly ? "ended early" : "early_end may leave out trials, which biases its rate" };
  }
  return test.counted === 0 ? { test, reason: "no trial counts" } : { test, reason: null };
}

/** The trial that stands for the others of its case: the first that passed where the case did, else the decisive one. */
export function standsForCase(
  { status, decisiveTrial }: Pick<RanTest, "status" | "decisiveTrial">,
  trial: { trial: number; status: string },
): boolean {
  return status === "passed" ? trial.status === "passed" : trial.trial === decisiveTrial;
}
