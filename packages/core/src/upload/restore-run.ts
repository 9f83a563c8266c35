import type { RunInfo, RunResult, TrialResult } from "../engine/run-result.js";
import type { FailureCategory } from "../errors/error-table.js";
import { decideGates, gateRulesShape } from "../gates/decide-gates.js";
import { nameIn } from "../gates/gate-place.js";
import type { GateResult } from "../gates/gate-result.js";
import type { RunRules } from "../journal/run-file.js";
import { readStored } from "../shape/read-stored.js";
import type { RunSummary, SuiteSummary } from "../summary/case-summary.js";
import type { ComparedSuite, RunComparison } from "../summary/comparison-result.js";
import { toolErrorTypes } from "../transcript/tool-failure.js";
import { decideRunVerdict } from "../verdict/decide-run-verdict.js";
import type { CaseDocument } from "./case-document.js";
import { knownCodes, restoreError, restoreSuites } from "./restore-case.js";
import { restoreTrials } from "./restore-trial.js";
import type { RunDocument } from "./run-document.js";

/**
 * The result of an uploaded run, for reports. Its figures, its gates and its verdict are those of the upload. What no upload
 * has is empty, such as positions in the config and the calls of a comparison.
 *
 * @param readCase - reads a case with its trials; null if it is gone
 */
export function restoreRun(
  run: RunDocument,
  cases: readonly CaseDocument[],
  readCase: (id: string) => Promise<CaseDocument | null>,
): RunResult {
  const suites = restoreSuites(run.suites, cases);
  const summary = restoreSummary(run.summary);
  const suiteSummaries = run.suites.map(({ name, figures }) => ({ suite: name, ...restoreFigures(figures) }));
  const comparison = run.comparison === null ? undefined : restoreComparison(run.comparison);
  const rules = rulesOf(run) ?? { gates: {}, exitOn: run.exitOn };
  const gates = restoreGates(run, decideGates(rules, { summary, suiteSummaries, comparison }));
  const haltedBy = run.halted ? "see the output of the run" : null;
  const isPart = run.shard !== undefined;
  const redact = (text: string): string => text;
  const question = { suites, summary, gates, rules, comparison, redact, stoppedBy: null, haltedBy, isPart };
  return {
    kindlm: run.kindlm,
    verdict: run.verdict,
    exitCode: run.verdict === "passed" ? 0 : 1,
    reasons: run.verdict === "passed" ? [] : decideRunVerdict(question).reasons,
    run: infoOf(run),
    summary,
    gates,
    ...(comparison === undefined ? {} : { comparison }),
    suites,
    suiteSummaries,
    warnings: [],
    async *trials(id) {
      const wanted = id === undefined ? cases.map((one) => one.id) : [id];
      for (const one of wanted) yield* await trialsOf(await readCase(one));
    },
  };
}

async function trialsOf(found: CaseDocument | null): Promise<readonly TrialResult[]> {
  return found === null || found.status === "skipped" ? [] : restoreTrials(found);
}

/** What is known of the run itself. */
export function infoOf(run: RunDocument): RunInfo {
  return {
    id: run.run,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
    durationMs: Math.max(0, Date.parse(run.endedAt) - Date.parse(run.startedAt)),
    seed: run.seed,
    interrupted: run.interrupted,
    project: run.project,
    git: run.commit === null ? null : { commit: run.commit, branch: run.branch, dirty: run.dirty },
    ...(run.shard === undefined ? {} : { shard: run.shard }),
    ...(run.replayed === undefined ? {} : { replayed: true }),
    ...(run.resumed === undefined ? {} : { resumed: run.resumed }),
  };
}

/** Null if this version does not know one of the gates. */
export function rulesOf({ rules, exitOn }: RunDocument): RunRules | null {
  const read = readStored(gateRulesShape, rules);
  return read.success ? { ...read.data, exitOn } : null;
}

type Figures = RunDocument["suites"][number]["figures"];

function restoreFigures({
  cutShort: _biased,
  toolErrors,
  injection: _injection,
  ...figures
}: Figures): Omit<SuiteSummary, "suite"> {
  const { firstTryRate, firstTryInterval, passK, judgeScore, replayed, ...always } = figures;
  return {
    ...always,
    toolErrors: Object.fromEntries(
      toolErrorTypes.flatMap((type) => {
        const count = toolErrors[type];
        return count === undefined ? [] : [[type, count]];
      }),
    ),
    ...(firstTryRate === undefined ? {} : { firstTryRate }),
    ...(firstTryInterval === undefined ? {} : { firstTryInterval }),
    ...(passK === undefined ? {} : { passK }),
    ...(judgeScore === undefined ? {} : { judgeScore }),
    ...(replayed === undefined ? {} : { replayed }),
  };
}

function restoreSummary(summary: RunDocument["summary"]): RunSummary {
  const { timeToFirstTokenMs, retries, fallbacks, providers, failures } = summary;
  const { simulatedUser, judges, awaitingBaseline, nudges, ...figures } = summary;
  const failed = (category: FailureCategory): number => failures[category] ?? 0;
  return {
    ...restoreFigures(figures),
    timeToFirstTokenMs,
    retries,
    fallbacks,
    providers: providers.map(({ errorsByCode, ...counts }) => ({ ...counts, errorsByCode: knownCodes(errorsByCode) })),
    failures: {
      llm_api: failed("llm_api"),
      tool: failed("tool"),
      network: failed("network"),
      validation: failed("validation"),
      service: failed("service"),
    },
    toolErrorsByTool: {},
    ...(simulatedUser === undefined ? {} : { simulatedUser }),
    ...(judges === undefined ? {} : { judges }),
    ...(awaitingBaseline === undefined ? {} : { awaitingBaseline }),
    ...(nudges === undefined ? {} : { nudges }),
  };
}

/** With the message that core gives a gate of this outcome, since an upload has none. */
function restoreGates(run: RunDocument, decided: readonly GateResult[]): readonly GateResult[] {
  return run.gates.map(({ suite, ...gate }) => {
    const same = decided.find(
      (one) =>
        one.name === gate.name && (one.scope === "suite" ? one.suite : undefined) === suite && one.pass === gate.pass,
    );
    const found = gate.actual === null ? "unknown" : String(gate.actual);
    const message = same?.message ?? `${nameIn(suite ?? null, gate.name)}: ${found}, limit ${gate.limit}`;
    const { name, pass, limit, actual, evaluated } = gate;
    const parts = { name, pass, limit, actual, message, ...(evaluated === undefined ? {} : { evaluated }) };
    return suite === undefined ? { ...parts, scope: "run" } : { ...parts, scope: "suite", suite };
  });
}

function restoreComparison({ verdict, suites }: NonNullable<RunDocument["comparison"]>): RunComparison {
  return {
    verdict,
    suites: suites.map((suite) => {
      if (suite.status === "compared") return restoreCompared(suite);
      if (suite.status === "none") return { suite: suite.suite, status: "none" };
      const error = restoreError({ code: "BASELINE_CORRUPT", by: "outside" });
      return { suite: suite.suite, status: "unreadable", error };
    }),
  };
}

type ComparedDocument = Extract<NonNullable<RunDocument["comparison"]>["suites"][number], { status: "compared" }>;

function restoreCompared({ worse, better, ...suite }: ComparedDocument): ComparedSuite {
  const { status, verdict, alpha, margin, cases, noisyCases, clusters, meanDifference, interval, p, baseline } = suite;
  const changed = (all: typeof worse): ComparedSuite["worse"] =>
    all.map(({ critical, ...one }) => ({ ...one, isCritical: critical, calls: null }));
  const unknown = {
    regressedOutright: [],
    added: [],
    removed: [],
    changedChecks: [],
    uncompared: [],
    agentChanges: [],
  };
  return {
    suite: suite.suite,
    status,
    verdict,
    alpha,
    margin,
    cases,
    noisyCases,
    clusters,
    meanDifference,
    interval,
    p,
    ...unknown,
    wouldDecide: null,
    baseline,
    worse: changed(worse),
    better: changed(better),
  };
}
