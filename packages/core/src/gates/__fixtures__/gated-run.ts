import fc from "fast-check";
import type { CaseSummary } from "../../summary/case-summary.js";
import type { ChangedCase, ComparedSuite, SuiteComparison } from "../../summary/comparison-result.js";
import type { RunSummary } from "../../engine/run-result.js";
import type { SuiteTotals } from "../../summary/run-totals.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import type { GatedRun } from "../decide-gates.js";

const share = fc.constantFrom(0, 0.25, 0.5, 0.75, 0.9, 1);
const count = fc.nat(4);
const orNull = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(values, { nil: null, freq: 4 });
const orAbsent = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(values, { nil: undefined, freq: 3 });

/** A summary of a run or suite in which everything is as it may be; at least one case ran. */
const summary: fc.Arbitrary<CaseSummary & SuiteTotals> = fc
  .record({
    passRate: orNull(share),
    firstTryRate: orAbsent(orNull(share)),
    errored: count,
    costUsd: orNull(fc.constantFrom(0, 0.1, 0.30000000000000004, 1)),
    p95: orNull(fc.constantFrom(1, 500, 2_000)),
    replayed: orAbsent(fc.constant(3)),
    judge: orAbsent(share),
    validation: count,
    runtime: count,
  })
  .map(({ p95, judge, validation, runtime, replayed, firstTryRate, ...found }) => ({
    total: 9,
    passed: 1,
    failed: 1,
    skipped: 0,
    allowedFailures: 0,
    interval: null,
    meanRate: null,
    errorRate: 0,
    unpricedRequests: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    requests: 1,
    ...found,
    latencyMs: p95 === null ? null : { p50: 1, p95 },
    toolErrors: { ...(validation > 0 ? { validation } : {}), ...(runtime > 0 ? { runtime } : {}) },
    ...(replayed === undefined ? {} : { replayed }),
    ...(judge === undefined ? {} : { judgeScore: { mean: judge, count: 2 } }),
    ...(firstTryRate === undefined ? {} : { firstTryRate }),
  }));

export function changedCase(caseId: string, isCritical = false): ChangedCase {
  const [baseline, candidate] = [
    { passes: 5, trials: 5 },
    { passes: 0, trials: 5 },
  ];
  return { caseId, isCritical, baseline, candidate, p: 0.004, calls: null };
}

export function comparedSuite(suite: string, changes: Partial<ComparedSuite> = {}): ComparedSuite {
  return {
    suite,
    status: "compared",
    verdict: "ok",
    alpha: 0.05,
    margin: 0.05,
    regressedOutright: [],
    cases: 1,
    noisyCases: 1,
    clusters: 1,
    p: 0.5,
    meanDifference: 0,
    interval: [-0.01, 0.01],
    wouldDecide: null,
    baseline: { setAt: "2026-01-01T00:00:00.000Z", commit: null, kindlm: "0.1.0", passed: 1, failed: 0 },
    worse: [],
    better: [],
    added: [],
    removed: [],
    changedChecks: [],
    uncompared: [],
    agentChanges: [],
    ...changes,
  };
}

export function unreadableSuite(suite: string): SuiteComparison {
  const error = kindlmError("BASELINE_CORRUPT", `The baseline of suite "${suite}" is damaged`);
  return { suite, status: "unreadable", error };
}

function comparisonOf(suite: string): fc.Arbitrary<SuiteComparison> {
  const compared = fc
    .record({
      verdict: fc.constantFrom("ok" as const, "regressed" as const, "inconclusive" as const),
      worse: fc.array(fc.boolean(), { maxLength: 3 }),
    })
    .map(({ verdict, worse }) =>
      comparedSuite(suite, {
        verdict,
        worse: worse.map((isCritical, index) => changedCase(`${suite}/${index}`, isCritical)),
      }),
    );
  return fc.oneof(
    { weight: 4, arbitrary: compared },
    fc.constantFrom<SuiteComparison>({ suite, status: "none" }, unreadableSuite(suite)),
  );
}

/** A run with the suites "a" and "b". */
export const gatedRun: fc.Arbitrary<GatedRun> = fc
  .record({
    run: summary,
    a: summary,
    b: summary,
    comparison: orAbsent(fc.tuple(comparisonOf("a"), comparisonOf("b"))),
  })
  .map(({ run, a, b, comparison }) => ({
    summary: run as RunSummary,
    suiteSummaries: [
      { suite: "a", ...a },
      { suite: "b", ...b },
    ],
    comparison: comparison === undefined ? undefined : { verdict: null, suites: comparison },
  }));
