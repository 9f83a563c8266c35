import { described, list, nullable } from "../../shape/compound.js";
import { timing } from "../../shape/field.js";
import { record } from "../../shape/record.js";
import { count, rate, text, usd } from "../../shape/scalars.js";
import type { Static } from "../../shape/shape.js";
import { meanRate } from "../../statistics/mean-rate.js";
import { nullableMeanRate } from "../../summary/case-summary.js";
import { addCosts } from "../../values/add-costs.js";
import type { SuiteResult } from "../run-result.js";
import { clusterOf } from "./cluster-of.js";
import type { RanTest } from "./model-difference.js";
import { hasUnbiasedRate } from "./rate-statistics.js";
import { variantDifferenceShape } from "./variant-difference.js";
import { variantOf } from "./variant-of.js";

const cell = {
  /** Cases that ran. */
  cases: count,
  passed: count,
  errored: count,
  /** Mean of the rates of the cases that have one without bias; null when none has. */
  rate: described("Mean of the rates of the cases; null when none counts", nullable(rate)),
  /** Null when a price is unknown. */
  costUsd: nullable(usd),
  /** Mean over the cases, milliseconds. */
  latencyMs: described("Mean over the cases", timing),
};

const cellShape = record(cell);
/** What the cases of one model and prompt, or of one test of it, came to. */
export type VariantCell = Static<typeof cellShape>;

const variantShape = record({
  /** `model`, or `model#prompt`. */
  name: text,
  model: text,
  prompt: nullable(text),
  ...cell,
  meanRate: nullableMeanRate,
});
export type VariantSummary = Static<typeof variantShape>;

export const modelComparisonShape = record({
  /** In the order in which they first appear. */
  variants: list(variantShape),
  /** Test by test; null where a variant does not run the test. In the order of the config. */
  tests: list(record({ suite: text, test: text, cells: list(nullable(cellShape)) })),
  /** Pair by pair; of very many variants each with the first alone. */
  differences: list(variantDifferenceShape),
});
export type ModelComparison = Static<typeof modelComparisonShape>;

/** Above this, all pairs would be more than anyone reads, and some differ by chance. */
const mostForAllPairs = 6;

/** Compares the models and prompts of a run; null if there is only one. */
export async function compareModels(suites: readonly SuiteResult[], seed: number): Promise<ModelComparison | null> {
  if (!hasSeveral(suites)) return null;
  const variants = new Map<string, RanTest[]>();
  for (const test of ranTests(suites)) addTo(variants, variantOf(test), test);
  const { differenceOf } = await import("./model-difference.js");
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

/** Whether there are several, before all cases are held next to one another. */
function hasSeveral(suites: readonly SuiteResult[]): boolean {
  let first: string | null = null;
  for (const test of ranTests(suites)) {
    first ??= variantOf(test);
    if (variantOf(test) !== first) return true;
  }
  return false;
}

function* ranTests(suites: readonly SuiteResult[]): Generator<RanTest> {
  for (const { tests } of suites) for (const test of tests) if (test.status !== "skipped") yield test;
}

function addTo(lists: Map<string, RanTest[]>, key: string, test: RanTest): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [test]);
  else known.push(test);
}

function summaryOf(name: string, tests: readonly RanTest[]): VariantSummary {
  const rates = tests
    .filter(hasUnbiasedRate)
    .map((test) => ({ passes: test.passes, trials: test.counted, cluster: clusterOf(test) }));
  const { model = name, prompt = null } = tests[0] ?? {};
  return { name, model, prompt, ...cellOf(tests), meanRate: meanRate(rates) };
}

function cellOf(tests: readonly RanTest[]): VariantCell {
  const rates = tests.filter(hasUnbiasedRate).map(({ passes, counted }) => passes / counted);
  let costUsd: number | null = 0;
  let latencyMs = 0;
  for (const test of tests) {
    costUsd = addCosts(costUsd, test.costUsd);
    latencyMs += test.latencyMs;
  }
  return {
    cases: tests.length,
    passed: tests.filter(({ status }) => status === "passed").length,
    errored: tests.filter(({ status }) => status === "errored").length,
    rate: rates.length === 0 ? null : rates.reduce((sum, one) => sum + one, 0) / rates.length,
    costUsd,
    latencyMs: tests.length === 0 ? 0 : latencyMs / tests.length,
  };
}

function testRows(suite: SuiteResult, names: readonly string[]): ModelComparison["tests"] {
  const byTest = new Map<string, Map<string, RanTest[]>>();
  for (const test of ranTests([suite])) {
    const ofTest = byTest.get(test.name) ?? new Map<string, RanTest[]>();
    byTest.set(test.name, ofTest);
    addTo(ofTest, variantOf(test), test);
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
