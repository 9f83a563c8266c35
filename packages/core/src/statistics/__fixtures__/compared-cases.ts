import type { ComparedCase, ComparedSide } from "../compared-case.js";
import { decideComparison } from "../decide-comparison.js";

const side = (passes: number, trials: number): ComparedSide => ({ passes, trials, isPassed: passes === trials });

export function compared(
  before: [number, number],
  after: [number, number],
  more: Partial<ComparedCase> = {},
): ComparedCase {
  const baseline = side(...before);
  const candidate = side(...after);
  return { caseId: "case", cluster: "case", isDeterministic: false, isCritical: false, baseline, candidate, ...more };
}

/** Many cases, each with an id and a cluster of its own. */
export function apart(...parts: [count: number, one: ComparedCase][]): ComparedCase[] {
  return parts
    .flatMap(([count, one]) => Array<ComparedCase>(count).fill(one))
    .map((one, index) => ({ ...one, caseId: `case ${index}`, cluster: String(index) }));
}

export const decide = (cases: readonly ComparedCase[]) => decideComparison(cases, { seed: 1 });

export const kept = compared([1, 1], [1, 1]);
export const lost = compared([1, 1], [0, 1]);
export const won = compared([0, 1], [1, 1]);
