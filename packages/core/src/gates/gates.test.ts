import { describe, expect, it } from "vitest";
import type { GateConfig } from "./registry.js";
import type { GateResult } from "./gate-result.js";
import type { RunSummary, SuiteResult, TestResult } from "../engine/run-result.js";
import { summarize, summarizeSuites } from "../engine/summary/summarize.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { finishedTest, quietTotals, type Outcome } from "./__fixtures__/finished-test.js";
import { decideGates } from "./decide-gates.js";
import { decideRunVerdict, type VerdictQuestion } from "../verdict/decide-run-verdict.js";

function suiteOf(...kinds: Outcome[]): SuiteResult {
  return { status: "run", name: "s", file: "kindlm.yaml", tests: kinds.map((kind) => finishedTest(kind)) };
}

const gatesOf = (gates: GateConfig, summary: RunSummary): readonly GateResult[] =>
  decideGates({ gates }, { summary, suiteSummaries: [] });

const brokenSuite: SuiteResult = {
  status: "skipped",
  name: "b",
  file: "b.yaml",
  error: kindlmError("CONFIG_FILE_REF_ERROR", "gone"),
  diagnostics: [],
  tests: [finishedTest("skipped")],
};

interface Circumstances extends Partial<VerdictQuestion> {
  config?: GateConfig;
  suiteGates?: Readonly<Record<string, GateConfig>>;
  exitOn?: "tests" | "gates";
}

function verdict(
  suites: SuiteResult[],
  { config = {}, suiteGates = {}, exitOn = "tests", ...more }: Circumstances = {},
) {
  const suiteSummaries = summarizeSuites(suites, new Map(suites.map(({ name }) => [name, quietTotals])));
  const summary = summarize(suites, quietTotals, suiteSummaries);
  const rules = { gates: config, suiteGates, exitOn };
  const { comparison, isPart = false } = more;
  const gates = isPart ? [] : decideGates(rules, { summary, suiteSummaries, comparison });
  return decideRunVerdict({
    suites,
    summary,
    gates,
    rules,
    redact: String,
    stoppedBy: null,
    haltedBy: null,
    isPart,
    ...more,
  });
}

describe("summarize", () => {
  it("counts the agent's errors as not passed and leaves all others out", () => {
    const summary = summarize(
      [suiteOf("passed", "passed", "passed", "failed", "errored", "skipped"), brokenSuite],
      quietTotals,
    );
    expect(summary).toMatchObject({ total: 7, passed: 3, failed: 1, errored: 1, skipped: 2, passRate: 0.75 });
    expect(summarize([suiteOf("passed", "looping")], quietTotals).passRate).toBe(0.5);
    expect(summarize([suiteOf("errored", "skipped")], quietTotals)).toMatchObject({ passRate: null, interval: null });
  });

  it("does not let an allowed failure count either way", () => {
    expect(summarize([suiteOf("passed", "allowed")], quietTotals)).toMatchObject({
      failed: 1,
      allowedFailures: 1,
      passRate: 1,
    });
    const wavers: TestResult = { ...finishedTest("passed"), allowFailure: "known" };
    const failed = summarize([{ ...suiteOf("failed"), tests: [finishedTest("failed"), wavers] }], quietTotals);
    expect(failed).toMatchObject({ passed: 1, failed: 1, passRate: 0 });
  });
});

describe("decideGates", () => {
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
    expect(gatesOf(config, summary).map((gate) => gate.pass)).toEqual([pass]);
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
    const gates = gatesOf({ toolErrors }, withErrors);
    expect(gates.map(({ name }) => name)).toEqual(names);
    expect(gates.map(({ pass }) => pass)).toEqual(passes);
  });

  it("trips a gate that cannot be evaluated", () => {
    const unknown = { ...summary, costUsd: null, passRate: null, latencyMs: null };
    expect(gatesOf({ passRate: 0, costUsd: 1, latencyP95Ms: 1 }, unknown)).toMatchObject([
      { name: "pass_rate", pass: false, actual: null },
      { name: "cost", pass: false, actual: null },
      { name: "latency_p95", pass: false, message: "latency_p95: unknown, expected at most 1 ms" },
    ]);
  });
});

describe("decideRunVerdict", () => {
  it.each([
    ["all pass", [suiteOf("passed")], {}, 0],
    ["a skipped one beside a passed one", [suiteOf("passed", "skipped")], {}, 0],
    ["one fails", [suiteOf("passed", "failed")], {}, 1],
    ["one errors", [suiteOf("passed", "errored")], {}, 1],
    ["an allowed failure", [suiteOf("passed", "allowed")], {}, 0],
    ["a broken suite", [suiteOf("passed"), brokenSuite], {}, 1],
    ["nothing but skipped", [suiteOf("skipped")], {}, 1],
    ["no suite at all", [], {}, 1],
    ["nothing at all, in a part of a run", [], { isPart: true }, 0],
    ["nothing but skipped, in a part of a run", [suiteOf("skipped")], { isPart: true }, 0],
    ["a failure in a part of a run", [suiteOf("failed")], { isPart: true }, 1],
    [
      "a failure that gates decide later",
      [suiteOf("failed", "errored")],
      { isPart: true, exitOn: "gates", config: { regressions: 0 } },
      0,
    ],
    [
      "a failure that no gate will decide about",
      [suiteOf("failed")],
      { isPart: true, exitOn: "gates", config: { costUsd: 1 }, suiteGates: { other: { passRate: 0 } } },
      1,
    ],
    ["a critical failure, whatever gates say later", [suiteOf("critical")], { isPart: true, exitOn: "gates" }, 1],
    ["interrupted", [suiteOf("passed")], { stoppedBy: kindlmError("ENGINE_ABORTED", "The run was interrupted") }, 1],
    ["out of money", [suiteOf("passed", "skipped")], { haltedBy: "max_cost of $1 is spent" }, 1],
    ["a tripped gate", [suiteOf("passed")], { config: { costUsd: 0.1 } }, 1],
    ["gates decide about a failure", [suiteOf("passed", "failed")], { exitOn: "gates", config: { passRate: 0.5 } }, 0],
    ["gates decide against it", [suiteOf("passed", "failed")], { exitOn: "gates", config: { passRate: 0.6 } }, 1],
    ["a gate of its suite decides", [suiteOf("failed")], { exitOn: "gates", suiteGates: { s: { passRate: 0 } } }, 0],
    ["no gate decides about a failure", [suiteOf("passed", "failed")], { exitOn: "gates" }, 1],
    ["nothing to decide, and no gate", [suiteOf("passed")], { exitOn: "gates" }, 0],
    [
      "no gate can be evaluated that would decide",
      [suiteOf("passed", "failed")],
      { exitOn: "gates", config: { regressions: 0, onInconclusive: "fail" } },
      1,
    ],
    ["a critical failure is no matter for gates", [suiteOf("passed", "critical")], { exitOn: "gates" }, 1],
    ["errors still count under gates", [suiteOf("passed", "errored")], { exitOn: "gates" }, 1],
    ["a gate may allow errors", [suiteOf("passed", "errored")], { exitOn: "gates", config: { errored: 1 } }, 0],
    ["an errored gate does not soften the default", [suiteOf("passed", "errored")], { config: { errored: 1 } }, 1],
  ] as const)("%s", (_name, suites, more, exitCode) => {
    const decided = verdict([...suites], more);
    expect(decided.exitCode).toBe(exitCode);
    expect(decided.verdict).toBe(exitCode === 0 ? "passed" : "failed");
    expect(decided.reasons.length > 0).toBe(exitCode === 1);
  });

  it.each([
    [kindlmError("ENGINE_ABORTED", "The rehearsal was interrupted"), "the run was interrupted"],
    [kindlmError("ENGINE_TIMEOUT", "The run took longer than 2 min"), "the run took longer than 2 min"],
  ])("says who stopped the run: $code", (stoppedBy, reason) => {
    expect(verdict([suiteOf("passed")], { stoppedBy }).reasons).toEqual([reason]);
  });
});

it("does not evaluate latency where requests were replayed, and trips by nothing of it", () => {
  const summary = { ...summarize([], { ...quietTotals, replayed: 2 }) };
  expect(gatesOf({ latencyP95Ms: 100, costUsd: 0.1 }, summary)).toEqual([
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
