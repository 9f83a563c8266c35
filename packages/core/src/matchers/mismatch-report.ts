import { renderPath } from "../values/preview.js";
import type { Mismatch } from "./matcher.js";
import type { MatcherNode } from "./matcher-node.js";

const most = 20;

/** Collects the first 20 mismatches of one value, and knows where in the value it stands. */
export interface MismatchReport {
  readonly mismatches: readonly Mismatch[];
  isFull(): boolean;
  /** A mismatch at the current place. */
  add(expected: unknown, actual: unknown): void;
  /** A mismatch at a place below that is already written as a path. */
  addBelow(below: string, expected: unknown, actual: unknown): void;
  /** A mismatch one step below. */
  addAt(step: string | number, expected: unknown, actual: unknown): void;
  /** Lets a matcher explain what stands one step below. */
  explainAt(step: string | number, node: MatcherNode, value: unknown): void;
}

export function createMismatchReport(): MismatchReport {
  const mismatches: Mismatch[] = [];
  const path: (string | number)[] = [];
  const isFull = (): boolean => mismatches.length >= most;
  const report: MismatchReport = {
    mismatches,
    isFull,
    add(expected, actual) {
      if (!isFull()) mismatches.push({ path: renderPath(path), expected, actual });
    },
    addBelow(below, expected, actual) {
      const here = renderPath(path);
      const separator = here === "" || below === "" || below.startsWith("[") ? "" : ".";
      if (!isFull()) mismatches.push({ path: `${here}${separator}${below}`, expected, actual });
    },
    addAt(step, expected, actual) {
      path.push(step);
      report.add(expected, actual);
      path.pop();
    },
    explainAt(step, node, value) {
      path.push(step);
      node.explain(value, report);
      path.pop();
    },
  };
  return report;
}
