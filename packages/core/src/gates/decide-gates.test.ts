import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GateConfig } from "./registry.js";
import type { RunSummary } from "../engine/run-result.js";
import { summarize } from "../engine/summary/summarize.js";
import type { CaseSummary } from "../summary/case-summary.js";
import { allowedReason, type SuiteComparison } from "../summary/comparison-result.js";
import type { SuiteTotals } from "../summary/run-totals.js";
import { quietTotals, suiteOf } from "./__fixtures__/finished-test.js";
import { changedCase, comparedSuite, gatedRun, unreadableSuite } from "./__fixtures__/gated-run.js";
import type { GrowthResult } from "../summary/growth-result.js";
import type { GateResult } from "./gate-result.js";
import { decideGates, warnOfGates, type GatedRun, type GateRules } from "./decide-gates.js";

type Summary = CaseSummary & SuiteTotals;
type Verdict = "passes" | "trips" | "idle";

const atLeast = (actual: number | null, limit: number): Verdict =>
  actual !== null && actual >= limit ? "passes" : "trips";
const atMost = (actual: number | null, limit: number): Verdict =>
  actual !== null && actual <= limit + 1e-12 ? "passes" : "trips";

const ofComparison =
  (holds: (compared: readonly Extract<SuiteComparison, { status: "compared" }>[]) => boolean) =>
  (suites: readonly SuiteComparison[]): Verdict => {
    if (suites.some(({ status }) => status === "unreadable")) return "trips";
    const compared = suites.filter((suite) => suite.status === "compared");
    if (compared.length === 0) return "idle";
    return holds(compared) ? "passes" : "trips";
  };

/** Each gate with its own condition, told a second time. */
const gates: readonly [
  name: string,
  config: GateConfig,
  expected: (summary: Summary, suites: readonly SuiteComparison[]) => Verdict,
][] = [
  ["pass_rate", { passRate: 0.75 }, ({ passRate }) => atLeast(passRate, 0.75)],
  ["first_try", { firstTry: 0.5 }, ({ firstTryRate = null }) => atLeast(firstTryRate, 0.5)],
  ["judge_avg", { judgeAvg: 0.9 }, ({ judgeScore }) => atLeast(judgeScore?.mean ?? null, 0.9)],
  ["errored", { errored: 1 }, ({ errored }) => atMost(errored, 1)],
  ["cost", { costUsd: 0.3 }, ({ costUsd }) => atMost(costUsd, 0.3)],
  [
    "latency_p95",
    { latencyP95Ms: 500 },
    ({ latencyMs, replayed }) => (replayed === undefined ? atMost(latencyMs?.p95 ?? null, 500) : "idle"),
  ],
  [
    "tool_errors",
    { toolErrors: { total: 3 } },
    ({ toolErrors }) => atMost((toolErrors.validation ?? 0) + (toolErrors.runtime ?? 0), 3),
  ],
  [
    "tool_errors.validation",
    { toolErrors: { validation: 1 } },
    ({ toolErrors }) => atMost(toolErrors.validation ?? 0, 1),
  ],
  [
    "regressions",
    { regressions: 1 },
    (_summary, suites) =>
      ofComparison((compared) => {
        const worse = compared.flatMap((suite) => suite.worse);
        const isSpared = worse.length <= 1 && worse.every(({ isCritical }) => !isCritical);
        return isSpared && compared.every(({ verdict }) => verdict !== "regressed");
      })(suites),
  ],
  [
    "inconclusive",
    { onInconclusive: "fail" },
    (_summary, suites) =>
      ofComparison((compared) => compared.every(({ verdict }) => verdict !== "inconclusive"))(suites),
  ],
];

const all = Object.assign({}, ...gates.map(([, config]) => config)) as GateConfig;
const both: GateConfig = { ...all, toolErrors: { total: 3, validation: 1 } };

function verdictsOf(rules: GateRules, run: GatedRun): Record<string, Verdict> {
  return Object.fromEntries(
    decideGates(rules, run).map((gate) => [
      `${gate.scope === "suite" ? gate.suite : "run"} ${gate.name}`,
      gate.evaluated === false ? "idle" : gate.pass ? "passes" : "trips",
    ]),
  );
}

function expectedOf(run: GatedRun, place: "run" | "a" | "b", only?: string): Record<string, Verdict> {
  const compared = run.comparison?.suites ?? [];
  const suites = place === "run" ? compared : compared.filter(({ suite }) => suite === place);
  const summary = place === "run" ? run.summary : run.suiteSummaries.find(({ suite }) => suite === place);
  if (summary === undefined) throw new Error("no such suite");
  const asked = gates.filter(([name]) => only === undefined || name === only);
  return Object.fromEntries(asked.map(([name, , expected]) => [`${place} ${name}`, expected(summary, suites)]));
}

describe("every gate, of the run and of a suite", () => {
  it.each(gates)("%s trips exactly when its own condition says so, alone", (name, config) => {
    fc.assert(
      fc.property(gatedRun, (run) => {
        expect(verdictsOf({ gates: config }, run)).toEqual(expectedOf(run, "run", name));
        expect(verdictsOf({ gates: {}, suiteGates: { b: config } }, run)).toEqual(expectedOf(run, "b", name));
      }),
    );
  });

  it("does not mind the others", () => {
    fc.assert(
      fc.property(gatedRun, (run) => {
        expect(verdictsOf({ gates: both, suiteGates: { a: both, b: both } }, run)).toEqual({
          ...expectedOf(run, "run"),
          ...expectedOf(run, "a"),
          ...expectedOf(run, "b"),
        });
      }),
    );
  });

  it("of a suite that was left out says nothing", () => {
    const [run] = fc.sample(gatedRun, 1);
    if (run === undefined) throw new Error("no sample");
    const without = { ...run, suiteSummaries: [] };
    expect(decideGates({ gates: {}, suiteGates: { a: both } }, without)).toEqual([]);
    expect(decideGates({ gates: {}, suiteGates: {} }, { ...run, suiteSummaries: [] })).toEqual([]);
  });
});

describe("the words of a gate", () => {
  const [sample] = fc.sample(gatedRun, { numRuns: 1, seed: 1 });
  if (sample === undefined) throw new Error("no sample");
  const say = (gatesOfSuite: GateConfig, changes: object, suites?: readonly SuiteComparison[]) => {
    const [first] = sample.suiteSummaries;
    if (first === undefined) throw new Error("no suite");
    const suite = { ...first, suite: "refunds", ...changes };
    const run: GatedRun = {
      ...sample,
      suiteSummaries: [suite],
      comparison: suites === undefined ? undefined : { verdict: null, suites },
    };
    return decideGates({ gates: {}, suiteGates: { refunds: gatesOfSuite } }, run).map(({ message }) => message);
  };

  it.each<[GateConfig, object, string]>([
    [{ passRate: 0.95 }, { passRate: 0.75 }, 'pass_rate of suite "refunds": 75%, expected at least 95%'],
    [{ passRate: 0.95 }, { passRate: 0.94999 }, 'pass_rate of suite "refunds": just under 95%, expected at least 95%'],
    [{ costUsd: 2 }, { costUsd: 2.00001 }, 'cost of suite "refunds": just over $2, expected at most $2'],
    [
      { judgeAvg: 0.8 },
      { judgeScore: { mean: 0.71234, count: 3 } },
      'judge_avg of suite "refunds": 0.7123, expected at least 0.8',
    ],
    [{ judgeAvg: 0.8 }, { judgeScore: undefined }, 'judge_avg of suite "refunds": unknown, expected at least 0.8'],
    [
      { passRate: 0.9 },
      { passRate: null, total: 2, skipped: 2 },
      'pass_rate of suite "refunds" is not evaluated: none of its cases ran',
    ],
  ])("%j, %j", (config, changes, message) => {
    expect(say(config, changes)).toEqual([message]);
  });

  const mute =
    'regressions of suite "refunds" cannot be evaluated: no case of suite "refunds" can be compared with its baseline';

  it.each<[string, readonly SuiteComparison[] | undefined, string]>([
    ["none", undefined, 'regressions of suite "refunds" is not evaluated: there is no baseline to compare with'],
    ["ok", [comparedSuite("refunds")], 'regressions of suite "refunds": 0, expected at most 0'],
    [
      "regressed",
      [comparedSuite("refunds", { verdict: "regressed" })],
      'regressions of suite "refunds": 0, expected at most 0: suite "refunds" is regressed',
    ],
    [
      "critical",
      [comparedSuite("refunds", { worse: [changedCase("refunds/t@m", true)] })],
      'regressions of suite "refunds": 1, expected at most 0: critical refunds/t@m is worse',
    ],
    [
      "unreadable",
      [unreadableSuite("refunds")],
      'regressions of suite "refunds" cannot be evaluated: The baseline of suite "refunds" is damaged',
    ],
    ["all renamed", [comparedSuite("refunds", { cases: 0, added: ["a"], removed: ["b"] })], mute],
    ["all checks changed", [comparedSuite("refunds", { cases: 0, changedChecks: ["a"] })], mute],
    [
      "all answered by another model",
      [comparedSuite("refunds", { cases: 0, uncompared: [{ caseId: "a", reason: "another model answered" }] })],
      mute,
    ],
    [
      "nothing but new and quarantined cases",
      [comparedSuite("refunds", { cases: 0, added: ["a"], uncompared: [{ caseId: "b", reason: allowedReason }] })],
      'regressions of suite "refunds": 0, expected at most 0',
    ],
  ])("a comparison: %s", (_name, suites, message) => {
    expect(say({ regressions: 0 }, {}, suites)).toEqual([message]);
  });

  const tokens = (changes: Partial<GrowthResult> = {}): SuiteComparison =>
    comparedSuite("refunds", { growth: [{ ...grownTokens, ...changes }] });

  it.each<[string, SuiteComparison, GateConfig, boolean, string]>([
    [
      "beyond the limit",
      tokens(),
      { tokensIncrease: 10 },
      false,
      ': +23% (95% interval +11% to +37%, beyond chance) in suite "refunds", expected at most +10%',
    ],
    ["within the limit", tokens(), { tokensIncrease: 25 }, true, "expected at most +25%"],
    ["within chance", tokens({ hasGrown: false }), { tokensIncrease: 10 }, true, "within chance"],
    ["no noise", tokens({ adjustedP: null, interval: null }), { tokensIncrease: 0 }, false, ": +23% in suite"],
    [
      "an unknown price",
      tokens({ name: "cost", ratio: null, cases: 0 }),
      { costIncrease: 10 },
      false,
      "cannot be evaluated: a price is unknown",
    ],
    [
      "a replay",
      tokens({ name: "latency", ratio: null, cases: 0 }),
      { latencyIncrease: 10 },
      true,
      "is not evaluated: it is not known on both sides: requests were replayed",
    ],
    [
      "an old baseline",
      comparedSuite("refunds", { unsavedGrowth: 1 }),
      { turnsIncrease: 10 },
      true,
      'is not evaluated: the baseline of suite "refunds" was saved before KindLM kept it. Run: kindlm baseline set',
    ],
    ["no tool calls", comparedSuite("refunds"), { toolCallsIncrease: 10 }, true, "no compared case takes any"],
  ])("growth: %s", (_name, suite, limits, pass, message) => {
    const [gate] = decideGates({ gates: limits }, { ...sample, comparison: { verdict: null, suites: [suite] } });
    expect(gate).toMatchObject({ pass, message: expect.stringContaining(message) });
  });

  it("names the suites that decide nothing", () => {
    const open = [comparedSuite("refunds", { verdict: "inconclusive" })];
    expect(say({ onInconclusive: "fail" }, {}, open)).toEqual([
      'inconclusive of suite "refunds": 1, expected at most 0: suite "refunds"',
    ]);
    expect(say({ onInconclusive: "pass" }, {}, open)).toEqual([]);
  });

  it("does not trip by the last bit of a sum", () => {
    const mean = (0.7 + 0.7 + 0.7) / 3;
    expect(mean).toBeLessThan(0.7);
    const run = { ...sample, summary: { ...sample.summary, judgeScore: { mean, count: 3 } } };
    expect(decideGates({ gates: { judgeAvg: 0.7 } }, run)).toMatchObject([{ pass: true }]);
  });
});

const grownTokens: GrowthResult = {
  name: "tokens",
  cases: 20,
  clusters: 20,
  unknown: 0,
  baseline: 100,
  candidate: 123,
  ratio: 1.23,
  interval: [1.11, 1.37],
  p: 0.001,
  adjustedP: 0.005,
  hasGrown: true,
};

const decided = (config: GateConfig, summary: RunSummary): readonly GateResult[] =>
  decideGates({ gates: config }, { summary, suiteSummaries: [] });

describe("a gate of a run", () => {
  const summary: RunSummary = summarize([suiteOf("passed", "passed", "passed", "failed", "errored")], quietTotals);
  it.each([
    [{ passRate: 0.75 }, true],
    [{ passRate: 0.76 }, false],
    [{ errored: 1 }, true],
    [{ errored: 0 }, false],
    [{ costUsd: 0.5 }, true],
    [{ costUsd: 0.49 }, false],
    [{ latencyP95Ms: 900 }, true],
    [{ latencyP95Ms: 899 }, false],
  ])("%j passes: %s", (config, pass) => {
    expect(decided(config, summary).map((gate) => gate.pass)).toEqual([pass]);
  });

  it.each([
    [{ total: 3 }, ["tool_errors"], [true]],
    [{ total: 2 }, ["tool_errors"], [false]],
    [{ validation: 2, logical: 0 }, ["tool_errors.validation", "tool_errors.logical"], [true, true]],
    [
      { validation: 1, runtime: 1, aborted: 0 },
      ["tool_errors.validation", "tool_errors.runtime", "tool_errors.aborted"],
      [false, true, true],
    ],
  ])("counts tool errors: %j", (toolErrors, names, passes) => {
    const withErrors = { ...summary, toolErrors: { validation: 2, runtime: 1 } };
    const ofErrors = decided({ toolErrors }, withErrors);
    expect(ofErrors.map(({ name }) => name)).toEqual(names);
    expect(ofErrors.map(({ pass }) => pass)).toEqual(passes);
  });

  it("trips a gate that cannot be evaluated", () => {
    const unknown = { ...summary, costUsd: null, passRate: null, latencyMs: null };
    expect(decided({ passRate: 0, costUsd: 1, latencyP95Ms: 1 }, unknown)).toMatchObject([
      { name: "pass_rate", pass: false, actual: null },
      { name: "cost", pass: false, actual: null },
      { name: "latency_p95", pass: false, message: "latency_p95: unknown, expected at most 1 ms" },
    ]);
  });

  it("does not evaluate latency where requests were replayed, and trips by nothing of it", () => {
    const replayed = summarize([], { ...quietTotals, replayed: 2 });
    expect(decided({ latencyP95Ms: 100, costUsd: 0.1 }, replayed)).toEqual([
      expect.objectContaining({ name: "cost", pass: false, actual: 0.5 }),
      {
        name: "latency_p95",
        scope: "run",
        pass: true,
        limit: 100,
        actual: null,
        message: "latency_p95 is not evaluated: 2 requests replayed, so the current latency is unknown",
        evaluated: false,
      },
    ]);
  });
});

it("warns once where a baseline was never set, and never of other gates", () => {
  const [run] = fc.sample(gatedRun, 1);
  if (run === undefined) throw new Error("no sample");
  const without = { ...run, comparison: undefined };
  const rules = { gates: { regressions: 0, latencyP95Ms: 1 }, suiteGates: { a: { onInconclusive: "fail" as const } } };
  expect(warnOfGates(decideGates(rules, without))).toEqual([
    {
      code: "BASELINE_NOT_FOUND",
      severity: "warning",
      message: 'No baseline to compare with: gate regressions, gate inconclusive of suite "a"',
      hint: "Save the last run as the baseline: kindlm baseline set",
    },
  ]);
  expect(warnOfGates(decideGates({ gates: { latencyP95Ms: 1 } }, without))).toEqual([]);
  const off = decideGates(rules, { ...without, whyNotCompared: "--baseline off" });
  expect(off.map(({ message }) => message)).toContain("regressions is not evaluated: --baseline off");
  expect(warnOfGates(off, "--baseline off")).toEqual([
    {
      code: "BASELINE_NOT_FOUND",
      severity: "warning",
      message:
        'The run is not compared with a baseline: --baseline off. Not evaluated: gate regressions, gate inconclusive of suite "a"',
    },
  ]);
});
