import type { CaseSummary, SuiteSummary } from "../../summary/case-summary.js";
import type { ModelComparison, VariantCell } from "../../engine/summary/compare-models.js";
import type { RunResult, SuiteResult } from "../../engine/run-result.js";
import type { JudgeScore, Quantiles } from "../../summary/run-totals.js";
import type { MeanRate } from "../../statistics/mean-rate.js";
import type { JsonObject } from "../../values/json.js";
import { flakyCases } from "../flaky-cases.js";
import { quarantinedTests } from "../quarantined-tests.js";
import { reportedUsage } from "./reported-usage.js";
import { roundedInterval, roundedMs, roundedP, roundedRate, roundedUsd } from "./rounded.js";

type Redact = (text: string) => string;

/** The counts and rates of the cases of a run or a suite. */
export function reportedCases(summary: CaseSummary): JsonObject {
  const { firstTryRate, firstTryInterval = null, passK, earlyEnd } = summary;
  return {
    total: summary.total,
    passed: summary.passed,
    failed: summary.failed,
    errored: summary.errored,
    skipped: summary.skipped,
    allowedFailures: summary.allowedFailures,
    passRate: rateOrNull(summary.passRate),
    interval: roundedInterval(summary.interval),
    ...(firstTryRate === undefined
      ? {}
      : { firstTryRate: rateOrNull(firstTryRate), firstTryInterval: roundedInterval(firstTryInterval) }),
    meanRate: reportedMean(summary.meanRate),
    errorRate: rateOrNull(summary.errorRate),
    ...(passK === undefined
      ? {}
      : {
          passK: passK.map(({ k, passAtK, passHatK, cases }) => ({
            k,
            passAtK: roundedRate(passAtK),
            passHatK: roundedRate(passHatK),
            cases,
          })),
        }),
    ...(earlyEnd === undefined ? {} : { earlyEnd: { ...earlyEnd } }),
  };
}

/** The results of a suite; null if nothing is known of it. */
export function reportedSuiteSummary(summary: SuiteSummary | undefined): JsonObject | null {
  if (summary === undefined) return null;
  return {
    ...reportedCases(summary),
    costUsd: roundedUsd(summary.costUsd),
    unpricedRequests: summary.unpricedRequests,
    usage: reportedUsage(summary.usage),
    latencyMs: reportedQuantiles(summary.latencyMs),
    requests: summary.requests,
    toolErrors: Object.fromEntries(Object.entries(summary.toolErrors).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    ...(summary.replayed === undefined ? {} : { replayed: summary.replayed }),
    ...reportedJudges(summary),
  };
}

export function reportedJudges({ judgeScore }: { judgeScore?: JudgeScore }): JsonObject {
  return judgeScore === undefined
    ? {}
    : { judgeScore: { mean: roundedRate(judgeScore.mean), count: judgeScore.count } };
}

export function reportedQuantiles(quantiles: Quantiles | null): JsonObject | null {
  return quantiles === null ? null : { p50: roundedMs(quantiles.p50), p95: roundedMs(quantiles.p95) };
}

export function reportedGates({ gates }: RunResult, redact: Redact): JsonObject[] {
  return gates.map((gate) => ({
    name: gate.name,
    scope: gate.scope,
    ...(gate.scope === "suite" ? { suite: redact(gate.suite) } : {}),
    pass: gate.pass,
    limit: gate.limit,
    actual: gate.actual,
    message: redact(gate.message),
    ...(gate.evaluated === false ? { evaluated: false } : {}),
  }));
}

/** Cases whose trials came out differently. */
export function reportedFlaky(suites: readonly SuiteResult[], redact: Redact): JsonObject[] {
  return flakyCases(suites).map(({ id, status, passes, counted, required, runs }) => ({
    id: redact(id),
    status,
    passes,
    counted,
    required,
    runs,
  }));
}

/** Tests whose failures do not count. */
export function reportedQuarantine(suites: readonly SuiteResult[], redact: Redact): JsonObject[] {
  return quarantinedTests(suites).map((one) => ({
    suite: redact(one.suite),
    test: redact(one.test),
    reason: redact(one.reason),
    cases: one.cases,
    failed: one.failed,
    errored: one.errored,
    passesAgain: one.passesAgain,
  }));
}

export function reportedModels({ variants, tests, differences }: ModelComparison, redact: Redact): JsonObject {
  return {
    variants: variants.map((one) => ({
      name: redact(one.name),
      model: redact(one.model),
      prompt: one.prompt === null ? null : redact(one.prompt),
      ...reportedCell(one),
      meanRate: reportedMean(one.meanRate),
    })),
    tests: tests.map(({ suite, test, cells }) => ({
      suite: redact(suite),
      test: redact(test),
      cells: cells.map((cell) => (cell === null ? null : reportedCell(cell))),
    })),
    differences: differences.map((one) => ({
      from: redact(one.from),
      to: redact(one.to),
      cases: one.cases,
      clusters: one.clusters,
      mean: roundedRate(one.mean),
      interval: roundedInterval(one.interval),
      p: roundedP(one.p),
    })),
  };
}

function reportedCell({ cases, passed, errored, rate, costUsd, latencyMs }: VariantCell): JsonObject {
  return {
    cases,
    passed,
    errored,
    rate: rateOrNull(rate),
    costUsd: roundedUsd(costUsd),
    latencyMs: roundedMs(latencyMs),
  };
}

function reportedMean(mean: MeanRate | null): JsonObject | null {
  if (mean === null) return null;
  return {
    mean: roundedRate(mean.mean),
    standardError: rateOrNull(mean.standardError),
    interval: roundedInterval(mean.interval),
    cases: mean.cases,
    clusters: mean.clusters,
  };
}

function rateOrNull(rate: number | null): number | null {
  return rate === null ? null : roundedRate(rate);
}
