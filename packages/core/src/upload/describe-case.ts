import type { AssertionResult } from "../assertions/assertion-result.js";
import type { TestResult, TrialResult } from "../engine/run-result.js";
import { measureTrial, type SpentMeasures } from "../engine/summary/measure-trial.js";
import { attributionOf, type KindlmError } from "../errors/kindlm-error.js";
import { hashText } from "../plan/identity/content-hash.js";
import { everyCall } from "../transcript/delegated-calls.js";
import { addUsage, type Usage } from "../transcript/usage.js";
import type { JsonObject } from "../values/json.js";
import type { CaseDocument, SpentDocument, TrialDocument } from "./case-document.js";
import type { UploadInclude } from "./run-document.js";

/** What of a case leaves the machine. */
export interface CaseUploadSettings {
  include: ReadonlySet<UploadInclude>;
  /** Place of the case in its suite of the whole run; null unless the run is a shard. */
  place: number | null;
  /** Masks secrets. */
  redact(text: string): string;
  /** A trial as the JSON report shows it, with its conversation, masked. */
  showTrial(trial: TrialResult): JsonObject;
}

/** The case as it is uploaded: measurements alone, unless messages or transcripts are included. */
export function describeCase(
  test: TestResult,
  trials: readonly TrialResult[],
  settings: CaseUploadSettings,
): CaseDocument {
  const { redact, place } = settings;
  const orNull = (text: string | null): string | null => (text === null ? null : redact(text));
  const identity = {
    id: redact(test.id),
    suite: redact(test.suite),
    name: redact(test.name),
    row: orNull(test.row),
    model: redact(test.model),
    prompt: orNull(test.prompt),
    fault: orNull(test.fault),
    ...(test.arm === undefined ? {} : { arm: redact(test.arm) }),
    tags: test.tags.map(redact),
    critical: test.critical,
    // The reason is a sentence of the user.
    allowFailure: test.allowFailure !== null,
    // The name of a group may be made of the values of a row.
    ...(test.group === undefined ? {} : { cluster: hashText(test.group) }),
    ...(place === null ? {} : { place }),
    ...(settings.include.has("messages") ? { messages: describeMessages(test, trials, redact) } : {}),
    ...(settings.include.has("transcripts") ? { transcripts: trials.map(settings.showTrial) } : {}),
  };
  if (test.status === "skipped") return { ...identity, status: "skipped" };
  const { mixed, passes, required, runs, counted, latencyMs, costUsd, decisiveTrial, agentHash, checkHash } = test;
  const { endedEarly, trialsRun, firstTryPasses, nudges, toolFallbacks, fresh, attack } = test;
  return {
    ...identity,
    status: test.status,
    error: describeError(test.error),
    mixed,
    passes,
    required,
    runs,
    counted,
    latencyMs,
    costUsd,
    decisiveTrial,
    agentHash,
    checkHash,
    usage: trials.reduce<Usage>((sum, { usage }) => addUsage(sum, usage), { inputTokens: 0, outputTokens: 0 }),
    fallback: orNull(test.fallback),
    servedBy: orNull(test.servedBy ?? null),
    ...(test.deterministic === undefined ? {} : { deterministic: true }),
    ...(endedEarly === undefined ? {} : { cutShort: endedEarly }),

    ...(trialsRun === undefined ? {} : { ranTrials: trialsRun }),
    ...(firstTryPasses === undefined ? {} : { firstPasses: firstTryPasses }),
    ...(nudges === undefined ? {} : { nudges }),
    ...(toolFallbacks === undefined ? {} : { toolFallbacks }),
    ...(fresh === undefined ? {} : { confirmation: fresh }),
    ...(attack === undefined ? {} : { attack }),
    trials: trials.map((trial) => describeTrial(trial, redact)),
  };
}

function describeTrial(trial: TrialResult, redact: (text: string) => string): TrialDocument {
  const measured = measureTrial(trial);
  const { latencyMs, firstTokenMs, nudges, awaitsBaseline, failure } = measured;
  return {
    trial: trial.trial,
    status: trial.status,
    error: describeError(trial.error),
    durationMs: trial.durationMs,
    waitedMs: trial.latencyMs,
    costUsd: trial.costUsd,
    latencyMs,
    firstTokenMs,
    nudges,
    awaitsBaseline,
    failure,
    turns: trial.turns.length,
    toolCalls: [...everyCall(trial.toolCalls)].length,
    // A model can invent the name of a tool, so names stay here.
    toolErrors: measured.toolErrors.map(({ errorType }) => errorType),
    toolFallbacks: measured.toolFallbacks.length,
    judgeScores: [...measured.judgeScores],
    assertions: trial.assertions.map(describeAssertion),
    ...(trial.fresh === undefined ? {} : { confirmation: true }),
    ...describeSpent(measured, redact),
  };
}

/** What a trial took. */
export function describeSpent(measured: SpentMeasures, redact: (text: string) => string): SpentDocument {
  const { knownCostUsd, unpricedRequests, usage, requests, retries, fallbacks, replayed } = measured;
  return {
    knownCostUsd,
    unpricedRequests,
    usage,
    requests,
    retries,
    fallbacks,
    replayed,
    providers: measured.providers.map(({ provider, byCode, ...counts }) => ({
      provider: redact(provider),
      ...counts,
      byCode: present(byCode),
    })),
    attemptFailures: present(measured.attemptFailures),
    simulatedUser: measured.simulatedUser,
    judges: measured.judges,
  };
}

function describeAssertion(result: AssertionResult): TrialDocument["assertions"][number] {
  const { type, pass, score, weight, skipped, error, userTurn } = result;
  return {
    type,
    pass,
    score,
    ...(weight === 1 ? {} : { weight }),
    ...(skipped === true ? { skipped } : {}),
    ...(error === undefined ? {} : { error: error.code }),
    ...(userTurn === undefined ? {} : { userTurn }),
  };
}

function describeError(error: KindlmError | null): { code: string; by: "agent" | "outside" } | null {
  return error === null ? null : { code: error.code, by: attributionOf(error) };
}

function describeMessages(test: TestResult, trials: readonly TrialResult[], redact: (text: string) => string) {
  return {
    ...(test.status === "skipped" ? { reason: redact(test.reason) } : {}),
    ...(test.status === "errored" ? { error: redact(test.error.message) } : {}),
    trials: trials.map(({ trial, error, assertions }) => ({
      trial,
      ...(error === null ? {} : { error: redact(error.message) }),
      assertions: assertions.map(({ message, sensitive = [] }) =>
        redact(sensitive.reduce((text, hidden) => text.replaceAll(hidden, "[masked]"), message)),
      ),
    })),
  };
}

/** Counts by name, without the names that have none. */
export function present(counts: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts).flatMap(([key, count]) => (count === undefined ? [] : [[key, count]])),
  );
}
