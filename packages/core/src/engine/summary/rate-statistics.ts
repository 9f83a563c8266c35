import { attributionOf } from "../../errors/kindlm-error.js";
import { createMeanRateSum } from "../../statistics/mean-rate-sum.js";
import { passAtK, passHatK } from "../../statistics/pass-k.js";
import type { PassK, RateStatistics } from "../../summary/case-summary.js";
import type { SuiteResult, TestResult } from "../run-result.js";

type RanTest = Exclude<TestResult, { status: "skipped" }>;

/** What the trials of these cases say of the agent. Computed once, when the run is over. */
export function rateStatisticsOf(suites: readonly SuiteResult[]): RateStatistics {
  const rates = createMeanRateSum(suites.reduce((sum, { tests }) => sum + tests.length, 0));
  const clustersOf = createClusterNumbers();
  const passK = createPassKCounter();
  let ran = 0;
  let erroredOutside = 0;
  const earlyEnd = { cases: 0, endedEarly: 0 };
  for (const { tests } of suites) {
    const clusterAt = clustersOf(tests);
    let place = -1;
    for (const test of tests) {
      place += 1;
      if (test.status === "skipped") continue;
      ran += 1;
      if (test.status === "errored" && attributionOf(test.error) === "outside") erroredOutside += 1;
      if (test.endedEarly !== undefined) earlyEnd.cases += 1;
      if (test.endedEarly === true) earlyEnd.endedEarly += 1;
      if (!hasUnbiasedRate(test)) continue;
      rates.add(test.passes, test.counted, clusterAt(place));
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
  /** The place of the first case, and of the last that differs from it in its row alone. */
  first: number;
  last: number;
  /** Of one model, prompt, fault and arm, every row is there once; only with a second one do rows have to be found again. */
  numbers: Map<string | null, number> | null;
}

/**
 * Numbers the clusters of cases, as `clusterOf` distinguishes them: by the place of their first case among all, from 0.
 * It makes no text for each case, nor a table of all rows where none comes twice: in a run of very many cases these would
 * weigh more than all that is computed of them. Takes suite after suite, and of each suite case after case.
 */
export function createClusterNumbers(): (tests: readonly Clustered[]) => (place: number) => number {
  const groups = new Map<string, number>();
  let before = 0;
  return (tests) => {
    const start = before;
    before += tests.length;
    const known = new Map<string, TestRows>();
    return (place) => {
      const test = tests[place];
      if (test === undefined) return start + place;
      if (test.group !== undefined) return numberIn(groups, test.group, start + place);
      const rows = known.get(test.name);
      if (rows === undefined) known.set(test.name, { first: place, last: place, numbers: null });
      else if (rows.numbers === null && isSameVariant(tests[rows.first], test)) rows.last = place;
      else return numberIn((rows.numbers ??= rowsIn(tests, rows, start)), test.row, start + place);
      return start + place;
    };
  };
}

function numberIn<Key>(numbers: Map<Key, number>, key: Key, otherwise: number): number {
  const known = numbers.get(key);
  if (known === undefined) numbers.set(key, otherwise);
  return known ?? otherwise;
}

function rowsIn(tests: readonly Clustered[], { first, last }: TestRows, start: number): Map<string | null, number> {
  const numbers = new Map<string | null, number>();
  const name = tests[first]?.name;
  for (let place = first; place <= last; place += 1) {
    const test = tests[place];
    if (test === undefined || test.name !== name || test.group !== undefined) continue;
    if (isSameVariant(tests[first], test)) numbers.set(test.row, start + place);
  }
  return numbers;
}

function isSameVariant(one: Clustered | undefined, { model, prompt, fault, arm }: Clustered): boolean {
  return one?.model === model && one.prompt === prompt && one.fault === fault && one.arm === arm;
}
