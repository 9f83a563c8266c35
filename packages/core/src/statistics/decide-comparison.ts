import { described, list, nullable, pair } from "../shape/compound.js";
import { derived, internal } from "../shape/field.js";
import { record } from "../shape/record.js";
import { count, oneOf, pValue, rate, rateDifference, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import { decisionLevelsShape, type DecisionLevels } from "./chance-to-decide.js";
import type { ComparedCase } from "./compared-case.js";
import { holm } from "./adjust-p-values.js";
import { isSignificant } from "./is-significant.js";
import { measureSuite, pOfSuite, testsOf, type SuiteMeasurement, type SuiteTest } from "./measure-suite.js";
import { decidingSizeShape, whatWouldDecide, type DecidingSize } from "./what-would-decide.js";

export interface ComparisonLevels extends Partial<DecisionLevels> {
  /** For the draws of the permutation test, and of trials where one side has more: equal data and seed give an equal p. */
  seed: number;
}

interface Adjusted {
  adjusted?: { p: number; suites: number };
}

/** What is decided about a suite. */
export const comparisonVerdictShape = record(
  {
    verdict: oneOf(["ok", "regressed", "inconclusive"]),
    ...decisionLevelsShape.always,
    /** Cases that have a trial on both sides. */
    cases: described("Cases with trials that count on both sides", count),
    /** Of these, the ones with noise; what follows speaks of them alone. */
    noisyCases: described("Of these, the ones with noise; what follows speaks of them", count),
    clusters: count,
    /** Mean of candidate rate − baseline rate; null without noisy cases. */
    meanDifference: described("Mean of the rates now less those of the baseline", nullable(rateDifference)),
    /** 95% interval of `meanDifference`, wider where there are several looks; never of zero width. Null without noisy cases. */
    interval: described(
      "95% interval of meanDifference, wider where there are several looks",
      nullable(pair(rateDifference)),
    ),
    /** One-sided p-value of the sign-flip test; null without noisy cases. */
    p: described("One-sided, of the sign-flip test over whole clusters, not adjusted", nullable(pValue)),
    /** For `inconclusive`: what would decide. Null for the other verdicts, and without cases. */
    wouldDecide: described(
      "For inconclusive: about how many cases, or trials of each, would decide",
      nullable(decidingSizeShape),
    ),
    /** Cases without noise that passed and no longer do; any of them makes the verdict `regressed`. */
    regressedOutright: described("Cases without noise that passed and no longer do", list(text)),
  },
  {
    /** One-sided p-value of attacks that succeed more often; absent where no case with noise is attacked on both sides. */
    attackP: described("One-sided, for attacks that succeed more often than in the baseline, not adjusted", pValue),
    /** `p` adjusted after Holm over the suites that are tested together, and their number. Absent where no test decides. */
    adjusted: internal(record({ p: pValue, suites: count })),
    adjustedP: derived(
      described(
        "p adjusted after Holm over testedSuites, which is what alpha is compared with; absent if no test decides. With attacks, of twice the smaller p",
        rate,
      ),
      ({ adjusted }: Adjusted, view) => (adjusted === undefined ? undefined : pValue.report(adjusted.p, view)),
    ),
    testedSuites: derived(
      described("Number of suites that are tested together", count),
      ({ adjusted }: Adjusted) => adjusted?.suites,
    ),
  },
);
export type ComparisonVerdict = Static<typeof comparisonVerdictShape>;

/**
 * Decides about the suites of a run together: says of each whether it is worse than its baseline. Regressed: a case without noise that passed no
 * longer does, or p ≤ alpha (0.05) with a mean below 0, where p is adjusted after Holm over the suites that are tested.
 * Else ok: the lower bound of the interval is above −margin (0.05), or no case has noise. Else inconclusive, as it is when
 * there is nothing to compare.
 * A suite with attacks has a second test, of how often they fail. It is regressed if either shows a drop, at a level that
 * the two share, and ok if both rule a drop out.
 * A suite that regressed outright is decided without its test, so it takes no part in the adjustment: that leaves the
 * others the level that they would have if its p were 0.
 */
export function decideTogether(
  suites: readonly SuiteMeasurement[],
  { alpha = 0.05, margin = 0.05 }: Partial<DecisionLevels> = {},
): (suite: SuiteMeasurement) => ComparisonVerdict {
  const tested = suites.flatMap((suite) => {
    const p = suite.regressedOutright.length === 0 ? pOfSuite(suite) : null;
    return p === null ? [] : [{ suite, p }];
  });
  const adjusted = holm(tested.map(({ p }) => p));
  const places = new Map(tested.map(({ suite }, index) => [suite, adjusted[index] ?? 1]));
  const open = adjusted.filter((p) => !isSignificant(p, alpha)).length;
  // What Holm asks of one suite more to be regressed, if the p of the others stay as they are.
  const alphaOfNext = alpha / Math.max(1, open);
  return (suite) => {
    const p = places.get(suite);
    return decide(suite, p === undefined ? null : { p, suites: tested.length }, { alpha, margin, alphaOfNext });
  };
}

function decide(
  suite: SuiteMeasurement,
  adjusted: NonNullable<ComparisonVerdict["adjusted"]> | null,
  { alpha, margin, alphaOfNext }: DecisionLevels & { alphaOfNext: number },
): ComparisonVerdict {
  const { cases, noisyCases, regressedOutright, test } = suite;
  const counts = { alpha, margin, regressedOutright, cases, noisyCases };
  if (test === null) {
    const verdict = regressedOutright.length > 0 ? "regressed" : cases > 0 ? "ok" : "inconclusive";
    return { verdict, ...counts, clusters: 0, p: null, meanDifference: null, interval: null, wouldDecide: null };
  }
  const { mean, interval, clusters } = test.difference;
  const tests = testsOf(suite);
  const isBelow = adjusted !== null && isSignificant(adjusted.p, alpha) && clearest(tests).difference.mean < 0;
  const isWorse = regressedOutright.length > 0 || isBelow;
  const open = tests.filter(({ difference }) => difference.interval[0] <= -margin);
  const verdict = isWorse ? "regressed" : open.length === 0 ? "ok" : "inconclusive";
  const levels = { alpha: (alphaOfNext * suite.share) / tests.length, margin };
  const wouldDecide = verdict === "inconclusive" ? sizeFor(open, noisyCases, levels) : null;
  const measured = { clusters, p: test.p, meanDifference: mean, interval, wouldDecide };
  const ofAttacks = suite.attackTest === null ? {} : { attackP: suite.attackTest.p };
  return { verdict, ...counts, ...measured, ...ofAttacks, ...(adjusted === null ? {} : { adjusted }) };
}

/** The test that chance explains least. */
function clearest(tests: readonly SuiteTest[]): SuiteTest {
  return tests.reduce((least, one) => (one.p < least.p ? one : least));
}

/** What would decide all that is open. Of tests on some of the cases, each speaks of these alone. */
function sizeFor(open: readonly SuiteTest[], cases: number, levels: DecisionLevels): DecidingSize {
  const sizes = open.map(({ difference, clusterSums }) => {
    const size = whatWouldDecide(difference, clusterSums, levels);
    return { ...size, cases: size.cases === null ? null : Math.ceil((size.cases * cases) / difference.cases) };
  });
  return { cases: largest(sizes.map((size) => size.cases)), trials: largest(sizes.map((size) => size.trials)) };
}

function largest(sizes: readonly (number | null)[]): number | null {
  return sizes.reduce((most, one) => (most === null || one === null ? null : Math.max(most, one)), 0);
}

/** As `decideTogether`, of a run that compares one suite. */
export function decideComparison(
  cases: readonly ComparedCase[],
  { seed, ...levels }: ComparisonLevels,
): ComparisonVerdict {
  const suite = measureSuite(cases, seed);
  return decideTogether([suite], levels)(suite);
}
