import type { TestResult } from "../run-result.js";

/**
 * The cluster of a case for statistics: its `group`, else its test and row, so that what several models, prompts or
 * faults make of one situation goes together.
 */
export function clusterOf({ suite, name, row, group }: Pick<TestResult, "suite" | "name" | "row" | "group">): string {
  return group === undefined ? JSON.stringify([suite, name, row]) : JSON.stringify([group]);
}
