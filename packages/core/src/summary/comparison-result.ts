import type { KindlmError } from "../errors/kindlm-error.js";
import type { CaseCounts } from "../statistics/case-counts.js";
import type { ComparisonVerdict } from "../statistics/decide-comparison.js";

/** How a run stands against the baselines of its suites. */
export interface RunComparison {
  /** The worst of the suites that were compared: regressed, then inconclusive. Null when none could be. */
  verdict: ComparisonVerdict["verdict"] | null;
  suites: readonly SuiteComparison[];
}

export type SuiteComparison =
  | ComparedSuite
  /** No baseline was ever set. */
  | { suite: string; status: "none" }
  /** There is one, but it cannot be used. */
  | { suite: string; status: "unreadable"; error: KindlmError };

/** Why a quarantined case is not compared. */
export const allowedReason = "its failure is allowed";

/** A suite compared with its baseline. Cases are named by their ids. */
export interface ComparedSuite extends ComparisonVerdict {
  suite: string;
  status: "compared";
  /** Where the baseline comes from; `setAt` is ISO 8601. */
  baseline: { setAt: string; commit: string | null; kindlm: string; note?: string };
  /** Flagged as worse: outright, or by the test of the case. */
  worse: readonly ChangedCase[];
  better: readonly ChangedCase[];
  /** Not in the baseline. */
  added: readonly string[];
  /** In the baseline alone. */
  removed: readonly string[];
  /** On both sides, but what is asked or judged is not the same. */
  changedChecks: readonly string[];
  /** On both sides and of the same check, but one side says nothing. */
  uncompared: readonly { caseId: string; reason: string }[];
  /** What is another about the agent than it was, such as "prompt" or "model as served: a, was b". */
  agentChanges: readonly string[];
  /** Set when the verdict rests on fresh trials of the suspects alone. */
  isConfirmed?: true;
}

/** A case that changed for better or worse. */
export interface ChangedCase {
  caseId: string;
  isCritical: boolean;
  baseline: CaseCounts;
  candidate: CaseCounts;
  /** One-sided, not adjusted; null without noise. */
  p: number | null;
  /** The tools that were called, in their order, in a trial that stands for the others; null where they are the same. */
  calls: { before: readonly string[]; after: readonly string[] } | null;
}
