import { renderPath } from "../values/preview.js";
import type { Mismatch } from "./matcher.js";
import type { MismatchReport } from "./matcher-node.js";

const most = 20;

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
