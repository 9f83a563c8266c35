import fc from "fast-check";
import { expect, it } from "vitest";
import type { GateConfig } from "../gates/registry.js";
import type { RunComparison } from "../summary/comparison-result.js";
import type { SuiteResult } from "../engine/run-result.js";
import { summarize, summarizeSuites } from "../engine/summary/summarize.js";
import { finishedTest, quietTotals, type Outcome } from "../gates/__fixtures__/finished-test.js";
import { comparedSuite } from "../gates/__fixtures__/gated-run.js";
import { decideGates } from "../gates/decide-gates.js";
import { decideRunVerdict } from "./decide-run-verdict.js";

const names = ["a", "b"] as const;
const kind = fc.constantFrom<Outcome>(
  "passed",
  "passed",
  "failed",
  "failed",
  "errored",
  "skipped",
  "allowed",
  "critical",
);
const suiteKinds = fc.array(kind, { maxLength: 5 });
/** None of these limits is ever reached, so that a gate trips only where it cannot be evaluated. */
const lenient: GateConfig = { passRate: 0, costUsd: 9, errored: 99, latencyP95Ms: 9_999, regressions: 99 };
const gates = fc
  .subarray(["passRate", "costUsd", "errored", "latencyP95Ms", "regressions"] as const)
  .map((keys): GateConfig => Object.fromEntries(keys.map((key) => [key, lenient[key]])));
/** Null without a baseline; else which cases are new. */
const compared = fc.option(fc.array(fc.nat({ max: 4 })));

it("with exit_on: gates, no failed test is left to a gate that does not read it", () => {
  fc.assert(
    fc.property(
      fc.tuple(suiteKinds, suiteKinds),
      fc.tuple(gates, gates, gates),
      fc.tuple(compared, compared),
      (kinds, [ofRun, ofA, ofB], added) => {
        const suites = names.map((name, at): SuiteResult => {
          const tests = (kinds[at] ?? []).map((one, index) => finishedTest(one, { suite: name, name: String(index) }));
          return { status: "run", name, file: "kindlm.yaml", tests };
        });
        const suiteSummaries = summarizeSuites(suites, new Map(names.map((name) => [name, quietTotals])));
        const summary = summarize(suites, quietTotals, suiteSummaries);
        const rules = { gates: ofRun, suiteGates: { a: ofA, b: ofB }, exitOn: "gates" as const };
        const comparison: RunComparison = {
          verdict: null,
          suites: names.map((suite, at) => {
            const fresh = added[at];
            if (fresh === null || fresh === undefined) return { suite, status: "none" };
            return comparedSuite(suite, { added: fresh.map((index) => `${suite}/${index}@m`) });
          }),
        };
        const found = decideGates(rules, { summary, suiteSummaries, comparison });
        const parts = { isPart: false, stoppedBy: null, haltedBy: null, redact: String };
        const { exitCode } = decideRunVerdict({ suites, summary, rules, gates: found, comparison, ...parts });

        const has = (suite: "a" | "b", key: keyof GateConfig): boolean =>
          ofRun[key] !== undefined || (suite === "a" ? ofA : ofB)[key] !== undefined;
        const isBad = names.some((suite, at) =>
          (kinds[at] ?? []).some((one, index) => {
            if (one === "critical") return true;
            if (one === "errored") return !has(suite, "errored");
            if (one !== "failed" || has(suite, "passRate")) return false;
            return !(has(suite, "regressions") && added[at]?.includes(index) === false);
          }),
        );
        const nothingRan = kinds.flat().every((one) => one === "skipped");
        expect(exitCode).toBe(isBad || nothingRan || found.some(({ pass }) => !pass) ? 1 : 0);
      },
    ),
    { numRuns: 300 },
  );
});
