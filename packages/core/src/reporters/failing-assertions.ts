import type { AssertionResult } from "../assertions/assertion-result.js";

/** The assertions that say why a trial failed. One that was not evaluated says nothing. */
export function failingAssertions(assertions: readonly AssertionResult[]): readonly AssertionResult[] {
  return assertions.filter((assertion) => !assertion.pass && assertion.skipped !== true);
}
