import { attributionOf } from "../../errors/kindlm-error.js";
import { createMeanRateSum } from "../../statistics/mean-rate-sum.js";
import { passAtK, passHatK } from "../../statistics/pass-k.js";
import type { PassK, RateStatistics } from "../../summary/case-summary.js";
import type { SuiteResult, TestResult } from "../run-result.js";

type RanTest = Exclude<TestResult, { status: "skipped" }>;

/** What the trials of these cases say of the agent. Computed once, when the run is over. */
export function rateStatisticsOf(suites: readonly SuiteResult[]): RateStatistics {
  const rates = createMeanRateSum();
  const clusterNumberOf = createClusterNumbers();
  const passK = createPassKCounter();
  let ran = 0;
  let erroredOutside = 0;
  const earlyEnd = { cases: 0, endedEarly: 0 };
  for (const suite of suites) {
    for (const test of suite.tests) {
      if (test.status === "skipped") continue;
      ran += 1;
      if (test.status === "errored" && attributionOf(test.error) === "outside") erroredOutside += 1;
      if (test.endedEarly !== undefined) earlyEnd.cases += 1;
      if (test.endedEarly === true) earlyEnd.endedEarly += 1;
      if (!hasUnbiasedRate(test)) continue;
      rates.add(test.passes, test.counted, clusterNumberOf(test));
      passK.add(test.passes, test.counted);
    }
  }
  const found: RateStatistics = {
    meanRate: rates.finish(),
    errorRate: ran === 0 ? null : erroredOutside / ran,
  };
  const ofK = passK.finish();
  if (ofK.length > 0) found.passK = ofK;
  if (earlyEnd.cases > 0) found.earlyEnd = earlyEnd;
  return found;
}

/**
 * Whether passes ÷ counted of the case is an estimate without bias, fit for rates and baselines. It is not where
 * `early_end` may leave out trials, also where it did not: those that ran all their trials are a selection. What
 * `allow_failure` covers is known to be broken and counts in no rate.
 */
export function hasUnbiasedRate(test: RanTest): boolean {
  return test.counted > 0 && test.endedEarly === undefined && test.allowFailure === null;
}

/** Every k up to here is reported, and beyond it 20, 50, 100, 200 and so on. */
const everyUpTo = 10;

/** Counts cases by passes and trials, so that pass@k costs nothing per case. */
export function createPassKCounter(): { add(passes: number, trials: number): void; finish(): readonly PassK[] } {
  /** Number of cases by trials and passes. */
  const counts = new Map<number, Map<number, number>>();
  return {
    add(passes, trials) {
      let ofTrials = counts.get(trials);
      if (ofTrials === undefined) counts.set(trials, (ofTrials = new Map<number, number>()));
      ofTrials.set(passes, (ofTrials.get(passes) ?? 0) + 1);
    },
    finish() {
      const most = Math.max(0, ...counts.keys());
      if (most <= 1) return [];
      const kinds = [...counts].flatMap(([trials, ofTrials]) =>
        [...ofTrials].map(([passes, cases]) => ({ trials, passes, cases })),
      );
      return reportedKs(most).map((k) => estimate(kinds, k));
    },
  };
}

/** 1 to 10, then 20, 50, 100, 200 …, and the last. */
function reportedKs(most: number): readonly number[] {
  const ks = Array.from({ length: Math.min(most, everyUpTo) }, (_, index) => index + 1);
  for (let unit = everyUpTo; unit < most; unit *= 10) {
    for (const k of [2 * unit, 5 * unit, 10 * unit]) if (k < most) ks.push(k);
  }
  if (most > everyUpTo) ks.push(most);
  return ks;
}

function estimate(kinds: readonly { trials: number; passes: number; cases: number }[], k: number): PassK {
  const sums = { passAtK: 0, passHatK: 0, cases: 0 };
  for (const { cases, ...counts } of kinds) {
    const [atK, hatK] = [passAtK(counts, k), passHatK(counts, k)];
    if (atK === null || hatK === null) continue;
    sums.passAtK += atK * cases;
    sums.passHatK += hatK * cases;
    sums.cases += cases;
  }
  return { k, passAtK: sums.passAtK / sums.cases, passHatK: sums.passHatK / sums.cases, cases: sums.cases };
}

type Clustered = Pick<TestResult, "suite" | "name" | "row" | "group" | "model" | "prompt" | "fault" | "arm">;

/** The rows of one test. */
interface TestRows {
  /** Of one model, prompt, fault and arm, every row is there once; only with a second one do rows have to be found again. */
  first: Clustered;
  seen: (string | null)[];
  seenAs: number[];
  numbers: Map<string | null, number> | null;
}

/**
 * Numbers the clusters of cases from 0, as `clusterOf` distinguishes them, and makes no text for each case, nor a table of
 * all rows where none comes twice: in a run of very many cases these would weigh more than all that is computed of them.
 */
export function createClusterNumbers(): (test: Clustered) => number {
  const groups = new Map<string, number>();
  const suites = new Map<string, Map<string, TestRows>>();
  let count = 0;
  const numberIn = <Key>(numbers: Map<Key, number>, key: Key): number => {
    let known = numbers.get(key);
    if (known === undefined) {
      known = count;
      count += 1;
      numbers.set(key, known);
    }
    return known;
  };
  const rowsOf = (test: Clustered): TestRows => {
    let tests = suites.get(test.suite);
    if (tests === undefined) suites.set(test.suite, (tests = new Map<string, TestRows>()));
    let rows = tests.get(test.name);
    if (rows === undefined) tests.set(test.name, (rows = { first: test, seen: [], seenAs: [], numbers: null }));
    return rows;
  };
  return (test) => {
    if (test.group !== undefined) return numberIn(groups, test.group);
    const rows = rowsOf(test);
    if (rows.numbers === null && isSameVariant(rows.first, test)) {
      rows.seen.push(test.row);
      rows.seenAs.push(count);
      count += 1;
      return count - 1;
    }
    rows.numbers ??= new Map(rows.seen.map((row, index) => [row, rows.seenAs[index] ?? 0]));
    return numberIn(rows.numbers, test.row);
  };
}

function isSameVariant(one: Clustered, other: Clustered): boolean {
  return one.model === other.model && one.prompt === other.prompt && one.fault === other.fault && one.arm === other.arm;
}
