import type { ComparedCase } from "./read-history.js";

/** What became of a case between two runs. */
export const changeKinds = ["newly failing", "fixed", "errored", "changed pass counts", "new", "gone"] as const;
export type ChangeKind = (typeof changeKinds)[number];

function kindOf({ before, after }: ComparedCase): ChangeKind {
  if (after === null || after.status === "skipped") return "gone";
  if (before === null || before.status === "skipped") return "new";
  if (before.status === after.status) return "changed pass counts";
  if (after.status === "passed") return "fixed";
  return after.status === "failed" ? "newly failing" : "errored";
}

/** The cases that differ, by what became of them, the worst first. */
export function groupChanges(
  cases: readonly ComparedCase[],
): readonly { kind: ChangeKind; cases: readonly ComparedCase[] }[] {
  return changeKinds
    .map((kind) => ({ kind, cases: cases.filter((one) => kindOf(one) === kind) }))
    .filter((group) => group.cases.length > 0);
}
