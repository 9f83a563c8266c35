import type { Diagnostic } from "../../errors/error-table.js";
import type { RunResult, ScoredSource } from "../../engine/run-result.js";
import type { ProviderTotals } from "../../summary/run-totals.js";
import type { JsonObject } from "../../values/json.js";
import { redactValue } from "../../redaction/redact-value.js";
import type { RenderOptions } from "../define-reporter.js";
import { reportedComparison } from "./reported-comparison.js";
import { reportedJudging } from "./reported-judging.js";
import {
  reportedCases,
  reportedFlaky,
  reportedGates,
  reportedJudges,
  reportedQuantiles,
  reportedQuarantine,
} from "./reported-rates.js";
import { reportedUserTotals } from "./reported-test.js";
import { reportedUsage } from "./reported-usage.js";
import { roundedMs, roundedRate, roundedUsd } from "./rounded.js";

/** Everything of the report that stands before its suites, in the order of its keys. */
export function reportedRun(result: RunResult, options: RenderOptions): JsonObject {
  const { redact } = options;
  const { run, summary } = result;
  const { git } = run;
  const { awaitingBaseline, nudges, toolFallbacks } = summary;
  return {
    kindlm: result.kindlm,
    verdict: result.verdict,
    exitCode: result.exitCode,
    reasons: result.reasons.map(redact),
    run: {
      id: run.id,
      startedAt: run.startedAt,
      endedAt: run.endedAt,
      durationMs: roundedMs(run.durationMs),
      seed: run.seed,
      interrupted: run.interrupted,
      ...(run.resumed === undefined ? {} : { resumed: run.resumed }),
      ...(run.replayed === true ? { replayed: true } : {}),
      ...(run.scored === undefined ? {} : { scored: reportedSource(run.scored, redact) }),
      project: run.project === null ? null : redact(run.project),
      git: git === null ? null : { commit: git.commit, branch: git.branch, dirty: git.dirty },
      ...(run.shard === undefined ? {} : { shard: { index: run.shard.index, of: run.shard.of } }),
    },
    summary: {
      ...reportedCases(summary),
      costUsd: roundedUsd(summary.costUsd),
      unpricedRequests: summary.unpricedRequests,
      usage: reportedUsage(summary.usage),
      latencyMs: reportedQuantiles(summary.latencyMs),
      timeToFirstTokenMs: reportedQuantiles(summary.timeToFirstTokenMs),
      requests: summary.requests,
      retries: summary.retries,
      fallbacks: summary.fallbacks,
      ...(summary.replayed === undefined ? {} : { replayed: summary.replayed }),
      providers: summary.providers
        .toSorted((a, b) => byName(a.provider, b.provider))
        .map((provider) => reportedProvider(provider, redact)),
      failures: { ...summary.failures },
      toolErrors: sorted(summary.toolErrors),
      toolErrorsByTool: Object.fromEntries(
        Object.entries(sorted(summary.toolErrorsByTool)).map(([tool, counts]) => [redact(tool), sorted(counts)]),
      ),
      ...reportedJudges(summary),
      ...(summary.simulatedUser === undefined ? {} : { simulatedUser: reportedUserTotals(summary.simulatedUser) }),
      ...(summary.judges === undefined ? {} : { judges: reportedJudging(summary.judges) }),
      ...(awaitingBaseline === undefined ? {} : { awaitingBaseline }),
      ...(nudges === undefined ? {} : { nudges }),
      ...(toolFallbacks === undefined
        ? {}
        : {
            toolFallbacks: Object.fromEntries(
              Object.entries(sorted(toolFallbacks)).map(([tool, calls]) => [redact(tool), calls]),
            ),
          }),
    },
    gates: reportedGates(result, redact),
    flaky: reportedFlaky(result.suites, redact),
    quarantine: reportedQuarantine(result.suites, redact),
    ...(result.comparison === undefined ? {} : { comparison: reportedComparison(result.comparison, options) }),
    warnings: result.warnings.map((warning) => reportedDiagnostic(warning, redact)),
  };
}

function reportedSource(source: ScoredSource, redact: (text: string) => string): JsonObject {
  return source.from === "run"
    ? { from: source.from, run: source.run }
    : { from: source.from, files: source.files.map(redact) };
}

function reportedProvider(totals: ProviderTotals, redact: (text: string) => string): JsonObject {
  const { limiter } = totals;
  return {
    provider: redact(totals.provider),
    requests: totals.requests,
    errors: totals.errors,
    errorRate: roundedRate(totals.errorRate),
    errorsByCode: sorted(totals.errorsByCode),
    limiter:
      limiter === null
        ? null
        : {
            limit: limiter.limit,
            rateLimits: limiter.rateLimits,
            lanes: limiter.lanes.map(({ lane, ratePerSecond, rateLimits }) => ({
              lane: redact(lane),
              ratePerSecond: ratePerSecond === null ? null : roundedRate(ratePerSecond),
              rateLimits,
            })),
          },
  };
}

function reportedDiagnostic(diagnostic: Diagnostic, redact: (text: string) => string): JsonObject {
  const { position } = diagnostic;
  return {
    code: diagnostic.code,
    message: redact(diagnostic.message),
    hint: diagnostic.hint === undefined ? null : redact(diagnostic.hint),
    position: position === undefined ? null : redactValue(position, redact),
  };
}

/** Counts come in the order in which they were made, which depends on who was first; a report must not. */
function sorted<T>(counts: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => byName(a, b)));
}

function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
