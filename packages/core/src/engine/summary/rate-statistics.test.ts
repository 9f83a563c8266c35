import { describe, expect, it } from "vitest";
import { failedCase, erroredCase, passedCase, skippedCase } from "../../__fixtures__/sample-run.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import { airlinePasses, reportedPassHatK } from "../../statistics/__fixtures__/tau-bench-airline.js";
import { RunTally } from "./run-tally.js";
import { rateStatisticsOf, createPassKCounter, createClusterNumbers } from "./rate-statistics.js";
import type { SuiteResult, TestResult } from "../run-result.js";
import { summarize, summarizeSuites } from "./summarize.js";
import fc from "fast-check";
import { clusterOf } from "./cluster-of.js";

const suiteOf = (...tests: readonly TestResult[]): SuiteResult => ({ status: "run", name: "s", file: "f", tests });
const tried = (name: string, passes: number, counted: number, more: object = {}): TestResult =>
  passedCase(name, { passes, counted, runs: counted, ...more });

describe("rateStatisticsOf", () => {
  it("is of cases, however many trials each has", () => {
    const { meanRate, passK } = rateStatisticsOf([suiteOf(tried("a", 4, 4), tried("b", 0, 2))]);
    expect(meanRate).toMatchObject({ mean: 0.5, cases: 2, clusters: 2 });
    expect(passK?.map(({ k, passAtK, passHatK, cases }) => [k, passAtK, passHatK, cases])).toEqual([
      [1, 0.5, 0.5, 2],
      [2, 0.5, 0.5, 2],
      [3, 1, 1, 1],
      [4, 1, 1, 1],
    ]);
  });

  it("gives the published pass^k of the airline tasks of tau-bench", () => {
    const tests = airlinePasses.map((passes, index) => tried(`t${index}`, passes, 4));
    const { meanRate, passK = [] } = rateStatisticsOf([suiteOf(...tests)]);
    expect(passK.map(({ passHatK }) => Number(passHatK.toFixed(3)))).toEqual(reportedPassHatK);
    expect(meanRate).toMatchObject({ mean: 0.42, cases: 50, clusters: 50 });
  });

  it("takes the models of one test and row for one cluster, and a group too", () => {
    const [one, other] = [passedCase("t", { row: "r", model: "a" }), failedCase("t", { row: "r", model: "b" })];
    expect(rateStatisticsOf([suiteOf(one, other)]).meanRate).toMatchObject({ clusters: 1, standardError: null });
    const grouped = [passedCase("a", { group: "g" }), failedCase("b", { group: "g" }), passedCase("c")];
    expect(rateStatisticsOf([suiteOf(...grouped)]).meanRate?.clusters).toBe(2);
  });

  it("leaves out what has no unbiased rate: early ends, quarantine, and cases without a trial that counts", () => {
    const slow = kindlmError("PROVIDER_TIMEOUT", "slow");
    const { meanRate, passK, errorRate, earlyEnd } = rateStatisticsOf([
      suiteOf(
        tried("a", 1, 2),
        tried("cut", 1, 1, { endedEarly: true, trialsRun: 1 }),
        tried("whole", 2, 2, { endedEarly: false, trialsRun: 2 }),
        failedCase("known", { allowFailure: "bug 42" }),
        erroredCase("dead", slow),
        skippedCase("later"),
      ),
    ]);
    expect(meanRate).toMatchObject({ mean: 0.5, cases: 1 });
    expect(passK).toEqual([
      { k: 1, passAtK: 0.5, passHatK: 0.5, cases: 1 },
      { k: 2, passAtK: 1, passHatK: 0, cases: 1 },
    ]);
    expect(errorRate).toBe(1 / 5);
    expect(earlyEnd).toEqual({ cases: 2, endedEarly: 1 });
  });

  it("counts the agent's own errors as not passed, and not as errors from outside", () => {
    const loop = kindlmError("ENGINE_MAX_TURNS", "loop");
    const found = rateStatisticsOf([suiteOf(passedCase("a"), erroredCase("b", loop, { counted: 1 }))]);
    expect(found).toMatchObject({ meanRate: { mean: 0.5 }, errorRate: 0 });
  });

  it("says nothing of a run in which nothing counts", () => {
    expect(rateStatisticsOf([])).toEqual({ meanRate: null, errorRate: null });
    expect(rateStatisticsOf([suiteOf(passedCase("a"))])).not.toHaveProperty("passK");
  });
});

describe("createPassKCounter", () => {
  it("reports every k up to 10, and beyond it only some", () => {
    const counter = createPassKCounter();
    counter.add(600, 1_200);
    expect(counter.finish().map(({ k }) => k)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 50, 100, 200, 500, 1_000, 1_200,
    ]);
  });
});

describe("summarizeSuites", () => {
  it("counts a run of one suite but once", () => {
    const suites = [suiteOf(tried("a", 1, 2), failedCase("b"))];
    const tally = new RunTally().summarize([]);
    expect(summarize(suites, tally, summarizeSuites(suites, new Map()))).toEqual(summarize(suites, tally));
  });

  it("gives each suite its own counts and sums, and nothing to one without a trial", () => {
    const totals = {
      costUsd: 0.5,
      unpricedRequests: 0,
      usage: { inputTokens: 1, outputTokens: 2 },
      latencyMs: { p50: 1, p95: 2 },
      requests: 3,
      toolErrors: { runtime: 1 },
    };
    const broken: SuiteResult = {
      status: "skipped",
      name: "b",
      file: "f",
      error: kindlmError("CONFIG_FILE_REF_ERROR", "gone"),
      diagnostics: [],
      tests: [skippedCase("x")],
    };
    const [first, second] = summarizeSuites(
      [suiteOf(passedCase("a"), failedCase("b")), broken],
      new Map([["s", totals]]),
    );
    expect(first).toMatchObject({ suite: "s", total: 2, passed: 1, passRate: 0.5, ...totals });
    expect(second).toMatchObject({ suite: "b", total: 1, skipped: 1, passRate: null, latencyMs: null, costUsd: 0 });
  });
});

const name = fc.constantFrom("a", "b", "c");
const test = fc
  .record({
    suite: name,
    name,
    row: fc.option(name),
    model: name,
    prompt: fc.option(name),
    fault: fc.constant(null),
    group: fc.option(name, { nil: undefined, freq: 3 }),
  })
  .map(({ group, ...rest }) => (group === undefined ? rest : { ...rest, group }));

/** No case is there twice. */
const cases = fc.uniqueArray(test, {
  maxLength: 40,
  selector: ({ suite, name: of, row, model, prompt }) => JSON.stringify([suite, of, row, model, prompt]),
});

it("distinguishes clusters as clusterOf does, and numbers them by their first case", () => {
  fc.assert(
    fc.property(cases, (tests) => {
      const clustersOf = createClusterNumbers();
      const suites = ["a", "b", "c"].map((suite) => tests.filter((one) => one.suite === suite));
      const ordered = suites.flat();
      const firstOf = new Map(ordered.map((one, place) => [clusterOf(one), place] as const).toReversed());
      const numbers = suites.flatMap((ofSuite) => {
        const numberAt = clustersOf(ofSuite);
        return ofSuite.map((_, place) => numberAt(place));
      });
      expect(numbers).toEqual(ordered.map((one) => firstOf.get(clusterOf(one))));
    }),
  );
});
