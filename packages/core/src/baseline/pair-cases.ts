import { clusterOf } from "../engine/summary/cluster-of.js";
import { allowedReason, type ComparedSuite } from "../summary/comparison-result.js";
import type { TestResult } from "../engine/run-result.js";
import type { ComparedCase } from "../statistics/compared-case.js";
import type { Baseline, BaselineEntry } from "./baseline.js";
import { usabilityOf, type RanTest } from "./usability-of.js";

export interface PairQuestion {
  tests: readonly TestResult[];
  baseline: Baseline;
  /** Whether the run would have had a case of this id if the config had it. */
  sees(caseId: string): boolean;
  /** Ids of the baseline have passed it. */
  redact(text: string): string;
}

/** A case on both sides. */
export interface Pair {
  test: RanTest;
  entry: BaselineEntry;
  compared: ComparedCase;
}

/** The cases that are on one side alone, or that cannot be compared. */
type LeftOut = Pick<ComparedSuite, "added" | "removed" | "changedChecks" | "uncompared">;

/** What is on both sides and can be compared, and what is not. */
export function pairCases({ tests, baseline, sees, redact }: PairQuestion): {
  pairs: readonly Pair[];
  leftOut: LeftOut;
} {
  const pairs: Pair[] = [];
  const [added, changedChecks]: [string[], string[]] = [[], []];
  const uncompared: { caseId: string; reason: string }[] = [];
  const there = new Set<string>();
  for (const test of tests) {
    const caseId = redact(test.id);
    const entry = baseline.entries.get(caseId);
    const usable = usabilityOf(test);
    if (there.has(caseId)) uncompared.push({ caseId, reason: "two cases have this id where secrets are masked" });
    else if (entry === undefined) {
      if (test.status !== "skipped") added.push(caseId);
    } else if (usable.reason !== null) uncompared.push({ caseId, reason: usable.reason });
    else if (usable.test.checkHash !== entry.checkHash) changedChecks.push(caseId);
    else if (usable.test.allowFailure !== null) uncompared.push({ caseId, reason: allowedReason });
    else pairs.push({ test: usable.test, entry, compared: toCompared(caseId, usable.test, entry) });
    there.add(caseId);
  }
  const removed = [...baseline.entries.keys()].filter((caseId) => !there.has(caseId) && sees(caseId));
  return { pairs, leftOut: { added, removed, changedChecks, uncompared } };
}

function toCompared(caseId: string, test: RanTest, entry: BaselineEntry): ComparedCase {
  const isMixed = entry.passes > 0 && entry.passes < entry.trials;
  return {
    caseId,
    cluster: clusterOf(test),
    // A deterministic run against saved results of a noisy one: if those show no noise, there is none to test.
    isDeterministic: test.deterministic === true && (entry.deterministic === true || !isMixed),
    isCritical: test.critical,
    baseline: { passes: entry.passes, trials: entry.trials, isPassed: entry.isPassed },
    candidate: { passes: test.passes, trials: test.counted, isPassed: test.status === "passed" },
  };
}
