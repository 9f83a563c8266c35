import { createRandom } from "../values/random.js";
import type { CaseCounts } from "./case-counts.js";
import { isComparable, isOutrightRegression, type ComparedCase, type ComparedSide } from "./compared-case.js";
import { equalTrials } from "./equal-trials.js";
import { differencesByCluster, pairedDifference, type PairedCase, type PairedDifference } from "./paired-difference.js";
import { signFlipTest } from "./sign-flip-test.js";

/** A one-sided test of whether the rates of some cases fell. */
export interface SuiteTest {
  difference: PairedDifference;
  clusterSums: readonly number[];
  p: number;
}

/** What the cases of a suite show by themselves, before anything is decided. */
export interface SuiteMeasurement {
  cases: number;
  noisyCases: number;
  regressedOutright: readonly string[];
  /** Of the cases with noise; null without any. */
  test: SuiteTest | null;
  /** Of how often they withstood their attacks; null where none was attacked on both sides. */
  attackTest: SuiteTest | null;
  /** What the suite may spend of the level here, of all its looks: 1 for the only one. */
  share: number;
}

/** Cases without noise take no part in the mean, so that they do not dilute a drop of those that have it. */
export function measureSuite(all: readonly ComparedCase[], seed: number, share = 1): SuiteMeasurement {
  const cases = all.filter(isComparable).map(withFurther);
  const noisy = cases.filter(({ isDeterministic }) => !isDeterministic);
  const attacked = noisy.flatMap(({ caseId, cluster, attacks }) =>
    attacks === undefined ? [] : [{ caseId, cluster, ...attacks }],
  );
  return {
    cases: cases.length,
    noisyCases: noisy.length,
    regressedOutright: cases.filter(isOutrightRegression).map(({ caseId }) => caseId),
    test: testOf(noisy, seed, share),
    attackTest: testOf(
      attacked.filter(({ baseline, candidate }) => baseline.trials > 0 && candidate.trials > 0),
      seed,
      share,
    ),
    share,
  };
}

/** The trials of all looks count alike. */
function withFurther(one: ComparedCase): ComparedCase {
  const { candidate, attacks, further } = one;
  if (further === undefined) return one;
  const ofAttacks = attacks && further.attacks && { ...attacks, candidate: joined(attacks.candidate, further.attacks) };
  return { ...one, candidate: joined(candidate, further), ...(ofAttacks === undefined ? {} : { attacks: ofAttacks }) };
}

function joined(side: ComparedSide, { passes, trials }: CaseCounts): ComparedSide {
  return { ...side, passes: side.passes + passes, trials: side.trials + trials };
}

function testOf(cases: readonly (PairedCase & { caseId: string })[], seed: number, share: number): SuiteTest | null {
  const difference = pairedDifference(cases, 1 - 0.05 * share);
  if (difference === null) return null;
  const clusterSums = differencesByCluster(cases.map((one) => equalTrials(one, seed)));
  return { difference, clusterSums, p: signFlipTest(clusterSums, createRandom(seed)) };
}

/** The tests of a suite: of its pass rates, and of its attacks where it has any. */
export function testsOf({ test, attackTest }: SuiteMeasurement): readonly SuiteTest[] {
  return [test, attackTest].filter((one) => one !== null);
}

/**
 * The p-value of a suite: that of its test, or of two tests the smaller one, doubled after Bonferroni. It keeps its level
 * whatever the two have in common. A look that may spend a share of the level has p ÷ share, which holds over all looks.
 * Null without a test.
 */
export function pOfSuite(suite: SuiteMeasurement): number | null {
  const tests = testsOf(suite);
  return tests.length === 0 ? null : Math.min(1, (tests.length * Math.min(...tests.map(({ p }) => p))) / suite.share);
}
