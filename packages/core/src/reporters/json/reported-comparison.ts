import type { ChangedCase, RunComparison, SuiteComparison } from "../../summary/comparison-result.js";
import type { JsonObject } from "../../values/json.js";
import type { RenderOptions } from "../define-reporter.js";
import { reportedError } from "./reported-error.js";
import { roundedInterval, roundedP, roundedRate } from "./rounded.js";

type Options = Pick<RenderOptions, "redact" | "verbose">;

/** How the run stands against its baselines, as the report has it. */
export function reportedComparison({ verdict, suites }: RunComparison, options: Options): JsonObject {
  return { verdict, suites: suites.map((suite) => reportedSuite(suite, options)) };
}

function reportedSuite(suite: SuiteComparison, options: Options): JsonObject {
  const { redact, verbose } = options;
  const head: JsonObject = { suite: redact(suite.suite), status: suite.status };
  if (suite.status === "none") return head;
  if (suite.status === "unreadable") return { ...head, error: reportedError(suite.error, redact, verbose) };
  const { baseline, wouldDecide, adjusted } = suite;
  return {
    ...head,
    verdict: suite.verdict,
    ...(suite.isConfirmed === true ? { confirmed: true } : {}),
    alpha: suite.alpha,
    margin: suite.margin,
    cases: suite.cases,
    noisyCases: suite.noisyCases,
    clusters: suite.clusters,
    meanDifference: suite.meanDifference === null ? null : roundedRate(suite.meanDifference),
    interval: roundedInterval(suite.interval),
    p: suite.p === null ? null : roundedP(suite.p),
    ...(adjusted === undefined ? {} : { adjustedP: roundedP(adjusted.p), testedSuites: adjusted.suites }),
    wouldDecide: wouldDecide === null ? null : { cases: wouldDecide.cases, trials: wouldDecide.trials },
    baseline: {
      setAt: baseline.setAt,
      commit: baseline.commit,
      kindlm: baseline.kindlm,
      note: baseline.note === undefined ? null : redact(baseline.note),
    },
    regressedOutright: suite.regressedOutright.map(redact),
    worse: suite.worse.map((one) => reportedChange(one, redact)),
    better: suite.better.map((one) => reportedChange(one, redact)),
    added: suite.added.map(redact),
    removed: suite.removed.map(redact),
    changedChecks: suite.changedChecks.map(redact),
    uncompared: suite.uncompared.map(({ caseId, reason }) => ({ caseId: redact(caseId), reason: redact(reason) })),
    agentChanges: suite.agentChanges.map(redact),
  };
}

function reportedChange({ caseId, isCritical, baseline, candidate, p, calls }: ChangedCase, redact: Options["redact"]) {
  return {
    caseId: redact(caseId),
    critical: isCritical,
    baseline: { passes: baseline.passes, trials: baseline.trials },
    candidate: { passes: candidate.passes, trials: candidate.trials },
    p: p === null ? null : roundedP(p),
    calls: calls === null ? null : { before: calls.before.map(redact), after: calls.after.map(redact) },
  };
}
