import { describe, expect, it } from "vitest";
import type { SuiteResult } from "../engine/run-result.js";
import { summarize, summarizeSuites } from "../engine/summary/summarize.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { brokenSuite, quietTotals, suiteOf } from "../gates/__fixtures__/finished-test.js";
import { decideGates } from "../gates/decide-gates.js";
import type { GateConfig } from "../gates/registry.js";
import { decideRunVerdict, type VerdictQuestion } from "./decide-run-verdict.js";

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
    ["out of money", [suiteOf("passed", "skipped")], { haltedBy: "max_cost of $1 is used up" }, 1],
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
