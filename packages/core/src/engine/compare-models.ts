import type { CaseCounts } from "../statistics/case-counts.js";
import { equalTrials } from "../statistics/equal-trials.js";
import type { MeanRate } from "../statistics/mean-rate.js";
import { meanRate } from "../statistics/mean-rate.js";
import { differencesByCluster, pairedDifference, type PairedCase } from "../statistics/paired-difference.js";
import { signFlipTwoSided } from "../statistics/sign-flip-two-sided.js";
import { createRandom } from "../values/random.js";
import { clusterOf } from "./cluster-of.js";
import { hasUnbiasedRate } from "./rate-statistics.js";
import type { SuiteResult, TestResult } from "./run-result.js";

/** What the cases of one model and prompt, or of one test of it, came to. */
export interface VariantCell {
  /** Cases that ran. */
  cases: number;
  passed: number;
  errored: number;
  /** Mean of the rates of the cases that have one without bias; null when none has. */
  rate: number | null;
  /** Null when a price is unknown. */
  costUsd: number | null;
  /** Mean over the cases, milliseconds. */
  latencyMs: number;
}

export interface VariantSummary extends VariantCell {
  /** `model`, or `model#prompt`. */
  name: string;
  model: string;
  prompt: string | null;
  meanRate: MeanRate | null;
}

/** Two models, or two prompts, on the cases that both have. */
export interface VariantDifference {
  /** Names of variants; positive differences are in favour of `to`. */
  from: string;
  to: string;
  cases: number;
  clusters: number;
  /** Mean of rate of `to` − rate of `from`. */
  mean: number;
  /** 95 % interval of `mean`. */
  interval: readonly [number, number];
  /** Two-sided, of the sign-flip test over clusters. */
  p: number;
}

export interface ModelComparison {
  /** In the order in which they first appear. */
  variants: readonly VariantSummary[];
  /** Test by test; null where a variant does not run the test. In the order of the config. */
  tests: readonly { suite: string; test: string; cells: readonly (VariantCell | null)[] }[];
  /** Pair by pair; of very many variants each with the first alone. */
  differences: readonly VariantDifference[];
}

type RanTest = Exclude<TestResult, { status: "skipped" }>;

/** Above this, all pairs would be more than anyone reads, and some differ by chance. */
const mostForAllPairs = 6;

/** Puts the models and prompts of a run beside one another; null where there is only one. */
export function compareModels(suites: readonly SuiteResult[], seed: number): ModelComparison | null {
  const variants = new Map<string, RanTest[]>();
  for (const test of ranTests(suites)) addTo(variants, nameOf(test), test);
  if (variants.size < 2) return null;
  const names = [...variants.keys()];
  return {
    variants: [...variants].map(([name, tests]) => summaryOf(name, tests)),
    tests: suites.flatMap((suite) => testRows(suite, names)),
    differences: pairsOf(names).flatMap(([from, to]) => {
      const difference = differenceOf(variants.get(from) ?? [], variants.get(to) ?? [], seed);
      return difference === null ? [] : [{ from, to, ...difference }];
    }),
  };
}

function* ranTests(suites: readonly SuiteResult[]): Generator<RanTest> {
  for (const { tests } of suites) for (const test of tests) if (test.status !== "skipped") yield test;
}

function addTo(lists: Map<string, RanTest[]>, key: string, test: RanTest): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [test]);
  else known.push(test);
}

function nameOf({ model, prompt }: TestResult): string {
  return prompt === null ? model : `${model}#${prompt}`;
}

function summaryOf(name: string, tests: readonly RanTest[]): VariantSummary {
  const rates = tests.filter(hasUnbiasedRate).map((test) => ({ ...countsOf(test), cluster: clusterOf(test) }));
  const { model = name, prompt = null } = tests[0] ?? {};
  return { name, model, prompt, ...cellOf(tests), meanRate: meanRate(rates) };
}

function cellOf(tests: readonly RanTest[]): VariantCell {
  const rates = tests.filter(hasUnbiasedRate).map(({ passes, counted }) => passes / counted);
  let costUsd: number | null = 0;
  let latencyMs = 0;
  for (const test of tests) {
    costUsd = costUsd === null || test.costUsd === null ? null : costUsd + test.costUsd;
    latencyMs += test.latencyMs;
  }
  return {
    cases: tests.length,
    passed: tests.filter(({ status }) => status === "passed").length,
    errored: tests.filter(({ status }) => status === "errored").length,
    rate: rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0) / rates.length,
    costUsd,
    latencyMs: tests.length === 0 ? 0 : latencyMs / tests.length,
  };
}

function testRows(suite: SuiteResult, names: readonly string[]): ModelComparison["tests"] {
  const byTest = new Map<string, Map<string, RanTest[]>>();
  for (const test of ranTests([suite])) {
    const ofTest = byTest.get(test.name) ?? new Map<string, RanTest[]>();
    byTest.set(test.name, ofTest);
    addTo(ofTest, nameOf(test), test);
  }
  return [...byTest].map(([test, ofVariants]) => ({
    suite: suite.name,
    test,
    cells: names.map((name) => {
      const tests = ofVariants.get(name);
      return tests === undefined ? null : cellOf(tests);
    }),
  }));
}

function pairsOf(names: readonly string[]): (readonly [string, string])[] {
  const firsts = names.length > mostForAllPairs ? names.slice(0, 1) : names;
  return firsts.flatMap((from, index) => names.slice(index + 1).map((to) => [from, to] as const));
}

function differenceOf(
  from: readonly RanTest[],
  to: readonly RanTest[],
  seed: number,
): Omit<VariantDifference, "from" | "to"> | null {
  const others = new Map(to.filter(hasUnbiasedRate).map((test) => [situationOf(test), test]));
  const pairs = from.filter(hasUnbiasedRate).flatMap((test): (PairedCase & { caseId: string })[] => {
    const other = others.get(situationOf(test));
    if (other === undefined) return [];
    return [{ caseId: test.id, cluster: clusterOf(test), baseline: countsOf(test), candidate: countsOf(other) }];
  });
  const difference = pairedDifference(pairs);
  if (difference === null) return null;
  const { cases, clusters, mean, interval } = difference;
  const sums = differencesByCluster(pairs.map((pair) => equalTrials(pair, seed)));
  return { cases, clusters, mean, interval, p: signFlipTwoSided(sums, createRandom(seed)) };
}

/** What both variants were put through. */
function situationOf({ suite, name, row, fault }: RanTest): string {
  return JSON.stringify([suite, name, row, fault]);
}

function countsOf({ passes, counted }: RanTest): CaseCounts {
  return { passes, trials: counted };
}
