import { errorShape } from "../errors/error-shape.js";
import { described, list, nullable, union } from "../shape/compound.js";
import { orNull, reportedAs } from "../shape/field.js";
import { differenceInterval } from "../shape/interval.js";
import { record } from "../shape/record.js";
import { count, flag, literal, moment, oneOf, pValue, rate, rateDifference, text, word } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import { caseCountsShape } from "../statistics/case-counts.js";
import { comparisonVerdictShape } from "../statistics/decide-comparison.js";
import { growthShape } from "./growth-result.js";

/** Why a quarantined case is not compared. */
export const allowedReason = "its failure is allowed";

/** A case that changed for better or worse. */
const changedCaseShape = record({
  caseId: text,
  isCritical: reportedAs("critical", flag),
  baseline: caseCountsShape,
  candidate: caseCountsShape,
  /** One-sided, not adjusted; null without noise. */
  p: described("One-sided, not adjusted; null without noise", nullable(pValue)),
  /** The tools that were called, in their order, in a trial that stands for the others; null where they are the same. */
  calls: described(
    "The tools that were called; null where they are the same",
    nullable(record({ before: list(text), after: list(text) })),
  ),
});
export type ChangedCase = Static<typeof changedCaseShape>;

/** A rate on the cases that both sides have. */
const rateChangeShape = record({
  cases: count,
  clusters: count,
  /** Means over the cases. */
  baseline: rate,
  candidate: rate,
  meanDifference: described("candidate − baseline", rateDifference),
  interval: differenceInterval,
});
export type RateChange = Static<typeof rateChangeShape>;

/** Null where no case says anything on both sides. */
const injectionComparisonShape = record({
  utility: nullable(rateChangeShape),
  utilityUnderAttack: nullable(rateChangeShape),
  attackSuccessRate: nullable(rateChangeShape),
});
export type InjectionComparison = Static<typeof injectionComparisonShape>;

const { verdict, regressedOutright, ...measured } = comparisonVerdictShape.always;

const comparedLooksShape = record({
  looks: described("Looks at the comparison that were taken", count),
  maxLooks: described("Looks that might have been taken", count),
  /** Of the cases that may have further ones. */
  trials: described("Trials up to the last look that was taken, of the cases that may have further ones", count),
  maxTrials: described("Trials up to the last look that might have been taken", count),
  fixedTrials: described("Trials that a comparison with a single look needs to find as much", count),
});
export type ComparedLooks = Static<typeof comparedLooksShape>;

/** A suite compared with its baseline. Cases are named by their ids. */
const comparedSuiteShape = record(
  {
    suite: text,
    status: literal("compared"),
    verdict,
    ...measured,
    /** Where the baseline comes from, and how its cases had ended, except those that the run left out. */
    baseline: record({
      setAt: moment,
      commit: nullable(word),
      kindlm: word,
      note: orNull(text),
      passed: described("Cases of the baseline that had passed, except those that the run left out", count),
      failed: described("Cases of the baseline that had not passed, except those that the run left out", count),
    }),
    regressedOutright,
    /** Flagged as worse: outright, or by the test of the case. */
    worse: list(changedCaseShape),
    better: list(changedCaseShape),
    /** Not in the baseline. */
    added: described("Not in the baseline", list(text)),
    /** In the baseline alone. */
    removed: described("In the baseline alone", list(text)),
    /** On both sides, but what is asked or judged is not the same. */
    changedChecks: described("What is asked or judged is not the same", list(text)),
    /** On both sides and of the same check, but one side says nothing. */
    uncompared: list(record({ caseId: text, reason: text })),
    /** What is another about the agent than it was, such as "prompt" or "model as served: a, was b". */
    agentChanges: described("What is another about the agent than it was", list(text)),
  },
  {
    ...comparisonVerdictShape.sometimes,
    /** Absent where no case was attacked on both sides. The attack success rate has the p-value `attackP`. */
    injection: described("Changes of the figures on prompt injection", injectionComparisonShape),
    /** What trials take, against the baseline. Absent where nothing is known on both sides. */
    growth: described("What trials take, against the baseline, figure by figure", list(growthShape)),
    /** Compared cases of which the baseline does not say what they took; absent if there are none. */
    unsavedGrowth: described(
      "Compared cases of which the baseline, saved by an earlier version of KindLM, does not say what they took",
      count,
    ),
    /** Absent where the comparison could have one look alone. */
    looks: described("How many trials the comparison took; absent where their number was fixed", comparedLooksShape),
    /** Set if the verdict rests on confirmation trials alone. */
    isConfirmed: reportedAs("confirmed", described("The verdict rests on confirmation trials alone", literal(true))),
  },
);
export type ComparedSuite = Static<typeof comparedSuiteShape>;

const suiteComparisonShape = union("status", {
  compared: comparedSuiteShape,
  /** No baseline was ever set. */
  none: record({ suite: text, status: literal("none") }),
  /** There is one, but it cannot be used. */
  unreadable: record({ suite: text, status: literal("unreadable"), error: errorShape }),
});
export type SuiteComparison = Static<typeof suiteComparisonShape>;

/** How a run stands against the baselines of its suites. */
export const runComparisonShape = record({
  /** The worst of the suites that were compared: regressed, then inconclusive. Null when none could be. */
  verdict: described(
    "The worst of the suites that were compared; null when none was",
    nullable(oneOf(["ok", "regressed", "inconclusive"])),
  ),
  suites: list(suiteComparisonShape),
});
export type RunComparison = Static<typeof runComparisonShape>;
