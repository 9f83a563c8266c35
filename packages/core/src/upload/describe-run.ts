import type { RunResult, SuiteResult, TrialResult } from "../engine/run-result.js";
import { measureSpent } from "../engine/summary/measure-trial.js";
import type { GateResult } from "../gates/gate-result.js";
import type { RunRules } from "../journal/run-file.js";
import { hashText, hashValue } from "../plan/identity/content-hash.js";
import type { RunSummary, SuiteSummary } from "../summary/case-summary.js";
import type { ComparedSuite, RunComparison } from "../summary/comparison-result.js";
import type { JsonObject } from "../values/json.js";
import type { CaseDocument } from "./case-document.js";
import { describeCase, describeSpent, present } from "./describe-case.js";
import type { RunDocument, UploadInclude } from "./run-document.js";
import { uploadFormat } from "./upload-limits.js";

/** A finished run with what its result does not show. */
export interface UploadedRun {
  result: RunResult;
  rules: RunRules;
  /** Why not all cases were started; null if they were. */
  haltedBy: string | null;
  /** Trials that were run again since, so that they count no more. */
  spent: readonly TrialResult[];
}

export interface UploadSettings {
  /** Nothing by default: measurements alone leave the machine. */
  include: readonly UploadInclude[];
  /** Build and attempt of the CI system; null outside of one. Only shards of one attempt are merged. */
  ciAttempt: string | null;
  /** Masks secrets. */
  redact(text: string): string;
  /** A trial as the JSON report shows it, with its conversation, masked. */
  showTrial(trial: TrialResult): JsonObject;
}

/** The run as it is uploaded, without its cases. */
export function describeRun({ result, rules, haltedBy, spent }: UploadedRun, settings: UploadSettings): RunDocument {
  const { run, suites } = result;
  const { redact } = settings;
  const { gates, suiteGates } = rules;
  return {
    format: uploadFormat,
    kindlm: result.kindlm,
    run: run.id,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
    seed: run.seed,
    project: run.project === null ? null : redact(run.project),
    configHash: configHashOf(result, rules),
    ciAttempt: settings.ciAttempt,
    commit: run.git?.commit ?? null,
    branch: run.git?.branch ?? null,
    dirty: run.git?.dirty ?? false,
    interrupted: run.interrupted,
    halted: haltedBy !== null,
    verdict: result.verdict,
    exitOn: rules.exitOn,
    ...(run.replayed === undefined ? {} : { replayed: true }),
    ...(run.resumed === undefined ? {} : { resumed: run.resumed }),
    ...(run.shard === undefined ? {} : { shard: maskShard(run.shard, redact) }),
    rules: {
      gates: limitsOf(gates),
      ...(suiteGates === undefined
        ? {}
        : {
            suiteGates: Object.fromEntries(
              Object.entries(suiteGates).map(([suite, of]) => [redact(suite), limitsOf(of)]),
            ),
          }),
    },
    suites: suites.map((suite, index) => ({
      name: redact(suite.name),
      status: suite.status,
      ...(suite.status === "skipped" ? { error: suite.error.code } : {}),
      cases: suite.tests.length,
      figures: figuresOf(result.suiteSummaries[index] ?? result.summary),
    })),
    cases: suites.reduce((sum, { tests }) => sum + tests.length, 0),
    include: [...settings.include],
    summary: describeSummary(result.summary, redact),
    gates: result.gates.map((gate) => describeGate(gate, redact)),
    comparison: result.comparison === undefined ? null : describeComparison(result.comparison, redact),
    agents: Object.fromEntries(Object.entries(result.agents ?? {}).map(([hash, parts]) => [hash, { ...parts }])),
    spent: spent.map((trial) => ({ caseId: redact(trial.caseId), ...describeSpent(measureSpent(trial), redact) })),
    ...(run.mergedFrom === undefined ? {} : { mergedFrom: [...run.mergedFrom] }),
  };
}

/** The cases of the run in their order, each with its trials. Rejects if the journal is damaged. */
export async function* describeCases(result: RunResult, settings: UploadSettings): AsyncIterable<CaseDocument> {
  const include = new Set(settings.include);
  const { redact, showTrial } = settings;
  for (const suite of result.suites) {
    for (const [index, test] of suite.tests.entries()) {
      const trials: TrialResult[] = [];
      // One case at a time is in memory.
      if (test.status !== "skipped") for await (const trial of result.trials(test.id)) trials.push(trial);
      yield describeCase(test, trials, { include, place: placeOf(suite, index), redact, showTrial });
    }
  }
}

function placeOf({ places }: SuiteResult, index: number): number | null {
  return places?.[index] ?? null;
}

function describeSummary(summary: RunSummary, redact: (text: string) => string): RunDocument["summary"] {
  // A model can invent the name of a tool, so sums by tool stay here.
  const { toolErrorsByTool: _names, toolFallbacks: _fallbacks, providers, failures, ...rest } = summary;
  const { timeToFirstTokenMs, retries, fallbacks, simulatedUser, judges, awaitingBaseline, nudges } = rest;
  return {
    ...figuresOf(rest),
    timeToFirstTokenMs,
    retries,
    fallbacks,
    providers: providers.map(({ provider, errorsByCode, ...counts }) => ({
      provider: redact(provider),
      ...counts,
      errorsByCode: present(errorsByCode),
    })),
    failures: { ...failures },
    ...(simulatedUser === undefined ? {} : { simulatedUser }),
    ...(judges === undefined ? {} : { judges }),
    ...(awaitingBaseline === undefined ? {} : { awaitingBaseline }),
    ...(nudges === undefined ? {} : { nudges }),
  };
}

type Figures = Omit<SuiteSummary, "suite">;

function figuresOf(of: Figures): RunDocument["suites"][number]["figures"] {
  const { total, passed, failed, errored, skipped, allowedFailures, passRate, interval, meanRate, errorRate } = of;
  const { firstTryRate, firstTryInterval, passK, earlyEnd, costUsd, unpricedRequests, usage, latencyMs } = of;
  return {
    total,
    passed,
    failed,
    errored,
    skipped,
    allowedFailures,
    passRate,
    interval,
    meanRate,
    errorRate,
    ...(firstTryRate === undefined ? {} : { firstTryRate }),
    ...(firstTryInterval === undefined ? {} : { firstTryInterval }),
    ...(passK === undefined ? {} : { passK }),
    ...(earlyEnd === undefined ? {} : { cutShort: { cases: earlyEnd.cases, shortened: earlyEnd.endedEarly } }),
    costUsd,
    unpricedRequests,
    usage,
    latencyMs,
    requests: of.requests,
    ...(of.injection === undefined ? {} : { injection: of.injection }),
    toolErrors: present(of.toolErrors),
    ...(of.judgeScore === undefined ? {} : { judgeScore: of.judgeScore }),
    ...(of.replayed === undefined ? {} : { replayed: of.replayed }),
  };
}

/** Without its message, which may name files. */
function describeGate(gate: GateResult, redact: (text: string) => string): RunDocument["gates"][number] {
  const { name, pass, limit, actual, evaluated } = gate;
  return {
    name,
    ...(gate.scope === "suite" ? { suite: redact(gate.suite) } : {}),
    pass,
    limit,
    actual,
    ...(evaluated === undefined ? {} : { evaluated }),
  };
}

function describeComparison(
  { verdict, suites }: RunComparison,
  redact: (text: string) => string,
): NonNullable<RunDocument["comparison"]> {
  return {
    verdict,
    suites: suites.map((suite) =>
      suite.status === "compared"
        ? describeCompared(suite, redact)
        : { suite: redact(suite.suite), status: suite.status },
    ),
  };
}

function describeCompared(suite: ComparedSuite, redact: (text: string) => string) {
  const { status, verdict, alpha, margin, cases, noisyCases, clusters, meanDifference, interval, p, adjusted } = suite;
  const { setAt, commit, kindlm, passed, failed } = suite.baseline;
  const changed = (all: ComparedSuite["worse"]) =>
    all.map(({ caseId, isCritical, baseline, candidate, p: ofCase }) => ({
      caseId: redact(caseId),
      critical: isCritical,
      baseline,
      candidate,
      p: ofCase,
    }));
  return {
    suite: redact(suite.suite),
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
    ...(adjusted === undefined ? {} : { adjustedP: adjusted.p }),
    baseline: { setAt, commit, kindlm, passed, failed },
    worse: changed(suite.worse),
    better: changed(suite.better),
    added: suite.added.length,
    removed: suite.removed.length,
    changedChecks: suite.changedChecks.length,
    uncompared: suite.uncompared.length,
  };
}

function maskShard(shard: NonNullable<RunDocument["shard"]>, redact: (text: string) => string) {
  return { ...shard, suites: shard.suites.map(({ name, cases }) => ({ name: redact(name), cases })) };
}

function limitsOf(gates: RunRules["gates"]): RunDocument["rules"]["gates"] {
  return Object.fromEntries(
    Object.entries(gates).flatMap(([name, limit]) =>
      limit === undefined ? [] : [[name, typeof limit === "object" ? present({ ...limit }) : limit]],
    ),
  );
}

/** Equal for runs of the same cases, tests and gates, and for the shards of one run. */
function configHashOf({ run, suites }: RunResult, { gates, suiteGates, exitOn }: RunRules): string {
  if (run.shard !== undefined) return hashText(JSON.stringify([run.shard.of, run.shard.planHash]));
  const cases = suites.flatMap(({ tests }) =>
    tests.map((test) => [test.id, test.status === "skipped" ? null : [test.agentHash, test.checkHash]]),
  );
  return hashValue([cases, gates, suiteGates ?? null, exitOn]);
}
