import type { SuiteResult, TestResult } from "../engine/run-result.js";
import type { SpentMeasures, TrialMeasures } from "../engine/summary/measure-trial.js";
import { errorShape } from "../errors/error-shape.js";
import { errorTable, failureCategories, type FailureCategory } from "../errors/error-table.js";
import { isErrorCode, kindlmError, type ErrorCode, type KindlmError } from "../errors/kindlm-error.js";
import { readStored } from "../shape/read-stored.js";
import { wilsonInterval } from "../statistics/wilson.js";
import { toolErrorTypes, type ToolErrorType } from "../transcript/tool-failure.js";
import type { CaseDocument, SpentDocument, TrialDocument } from "./case-document.js";

/** The case as far as summaries, gates and verdicts look at it, with the messages that its upload has. */
function restoreCase(document: CaseDocument): TestResult {
  const { id, suite, name, row, model, prompt, fault, tags, critical, allowFailure, cluster } = document;
  const identity = {
    id,
    suite,
    name,
    row,
    model,
    prompt,
    fault,
    tags,
    critical,
    allowFailure: allowFailure ? "" : null,
    position: null,
    ...(document.arm === undefined ? {} : { arm: document.arm }),
    ...(cluster === undefined ? {} : { group: cluster }),
  };
  if (document.status === "skipped") return { ...identity, status: "skipped", reason: document.messages?.reason ?? "" };
  const { mixed, passes, required, runs, counted, latencyMs, costUsd, decisiveTrial, agentHash, checkHash } = document;
  const { cutShort, ranTrials, firstPasses, nudges, toolFallbacks, confirmation, deterministic, attack } = document;
  const ran = {
    ...identity,
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
    interval: wilsonInterval(passes, counted),
    fallback: document.fallback,
    servedBy: document.servedBy ?? null,
    ...(deterministic === undefined ? {} : { deterministic }),
    ...(cutShort === undefined ? {} : { endedEarly: cutShort }),
    ...(ranTrials === undefined ? {} : { trialsRun: ranTrials }),
    ...(firstPasses === undefined ? {} : { firstTryPasses: firstPasses }),
    ...(nudges === undefined ? {} : { nudges }),
    ...(toolFallbacks === undefined ? {} : { toolFallbacks }),
    ...(attack === undefined ? {} : { attack }),
    ...(confirmation === undefined ? {} : { fresh: confirmation }),
  };
  if (document.status !== "errored") return { ...ran, status: document.status, error: null };
  const error = restoreError(document.error ?? { code: "UNKNOWN_ERROR", by: "outside" }, document.messages?.error);
  return { ...ran, status: "errored", error };
}

/** An error of the same code and attribution. Without a message, it says when errors of this code happen. */
export function restoreError(
  { code, by }: { code: string; by: "agent" | "outside" },
  message = isErrorCode(code) ? errorTable[code].when : code,
): KindlmError {
  if (code === "ENGINE_BUDGET_EXCEEDED") {
    const limit = by === "outside" ? "max_cost" : "max_tool_calls";
    return kindlmError(code, message, { details: { limit, value: 0 } });
  }
  if (code === "TARGET_ERROR") {
    return kindlmError(code, message, { details: { kind: by === "outside" ? "not_found" : "unexpected" } });
  }
  const known = readStored(errorShape, { code, message });
  return known.success ? known.data : kindlmError("UNKNOWN_ERROR", message);
}

export function restoreTrial(trial: TrialDocument): TrialMeasures {
  const { latencyMs, firstTokenMs, nudges, awaitsBaseline, failure, judgeScores } = trial;
  return {
    ...restoreSpent(trial),
    latencyMs,
    firstTokenMs,
    nudges,
    awaitsBaseline,
    judgeScores,
    failure: failureCategories.find((category) => category === failure) ?? null,
    toolErrors: trial.toolErrors.flatMap((type) => {
      const errorType = toolErrorTypes.find((known): known is ToolErrorType => known === type);
      return errorType === undefined ? [] : [{ tool: "", errorType }];
    }),
    toolFallbacks: Array.from({ length: trial.toolFallbacks }, () => ""),
  };
}

export function restoreSpent(spent: SpentDocument): SpentMeasures {
  const { knownCostUsd, unpricedRequests, usage, requests, retries, fallbacks, replayed } = spent;
  const attemptFailures: Partial<Record<FailureCategory, number>> = {};
  for (const category of failureCategories) {
    const count = spent.attemptFailures[category];
    if (count !== undefined) attemptFailures[category] = count;
  }
  return {
    knownCostUsd,
    unpricedRequests,
    usage,
    requests,
    retries,
    fallbacks,
    replayed,
    attemptFailures,
    providers: spent.providers.map(({ byCode, ...counts }) => ({ ...counts, byCode: knownCodes(byCode) })),
    simulatedUser: spent.simulatedUser,
    judges: spent.judges,
  };
}

/** Codes that this version knows. */
export function knownCodes(counts: Readonly<Record<string, number>>): Partial<Record<ErrorCode, number>> {
  const known: Partial<Record<ErrorCode, number>> = {};
  for (const [code, count] of Object.entries(counts)) if (isErrorCode(code)) known[code] = count;
  return known;
}

/** The suites of an uploaded run with their cases, in the order of the run. */
export function restoreSuites(
  suites: readonly { name: string; status: "run" | "skipped"; error?: string | undefined }[],
  cases: readonly CaseDocument[],
): readonly SuiteResult[] {
  const bySuite = new Map<string, CaseDocument[]>(suites.map(({ name }) => [name, []]));
  for (const one of cases) bySuite.get(one.suite)?.push(one);
  return suites.map(({ name, status, error }) => {
    const own = bySuite.get(name) ?? [];
    const places = own.flatMap(({ place }) => (place === undefined ? [] : [place]));
    const parts = {
      name,
      file: "",
      tests: own.map(restoreCase),
      ...(places.length === own.length ? { places } : {}),
    };
    if (status === "run") return { ...parts, status };
    return { ...parts, status, error: restoreError({ code: error ?? "", by: "outside" }), diagnostics: [] };
  });
}
