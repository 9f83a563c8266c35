import type { AssertionResult } from "../assertions/assertion-result.js";
import { isDecidedBefore } from "../assertions/is-decided-before.js";
import type { TestResult } from "../engine/run-result.js";
import type { SourcePosition } from "../errors/source-position.js";

/** The assertions that say why a trial failed. One that was not evaluated says nothing. */
export function failingAssertions(assertions: readonly AssertionResult[]): readonly AssertionResult[] {
  return assertions.filter((assertion) => !assertion.pass && assertion.skipped !== true);
}

/** The first of them. One that could not be evaluated never decides a trial that failed. */
export function decidingAssertion(assertions: readonly AssertionResult[]): AssertionResult | undefined {
  const failing = failingAssertions(assertions);
  return failing.find(({ error }) => error === undefined) ?? failing[0];
}

/** Where the config has what a trial of the case failed, else its test; null if the config is an object. */
export function failurePosition(test: TestResult, assertions: readonly AssertionResult[]): SourcePosition | null {
  const positions = test.status === "failed" ? (test.assertionPositions ?? []) : [];
  const placed = assertions.filter((assertion) => !isDecidedBefore(assertion));
  const deciding = decidingAssertion(assertions);
  const index = deciding === undefined ? -1 : placed.indexOf(deciding);
  return (placed.length === positions.length ? positions[index] : undefined) ?? test.position;
}
