import type { AssertionResult } from "../assertions/assertion-result.js";
import type { TrialResult } from "../engine/run-result.js";
import { trialShape } from "../engine/trial-result.js";
import { readStored } from "../shape/read-stored.js";
import { isList, isRecord } from "../values/json.js";
import type { RanCaseDocument, TrialDocument } from "./case-document.js";
import { restoreError } from "./restore-case.js";
import { placeCalls, restoreCall, restoreTurn } from "./restore-conversation.js";

/** Fields that some trials have. Each is taken only if it reads as what it is said to be. */
const optional = ["simulatedUser", "judging", "tries", "faults", "injections", "nudges", "workspace", "gateway"];

/**
 * The trials of an uploaded case as reports look at them: with their conversations if the upload has them, otherwise with
 * their measurements alone, and an empty message for each assertion.
 */
export function restoreTrials(document: RanCaseDocument): readonly TrialResult[] {
  const reported = new Map((document.transcripts ?? []).map((one) => [one["trial"], one]));
  const messages = new Map((document.messages?.trials ?? []).map((one) => [one.trial, one]));
  return document.trials.map((trial) => {
    const measured = restoreMeasured(document, trial, messages.get(trial.trial));
    return restoreTranscript(measured, reported.get(trial.trial)) ?? measured;
  });
}

interface TrialMessages {
  error?: string | undefined;
  assertions: readonly string[];
}

function restoreMeasured(of: RanCaseDocument, trial: TrialDocument, messages?: TrialMessages): TrialResult {
  const { status, durationMs, waitedMs, costUsd, usage, requests, unpricedRequests } = trial;
  const measured = {
    caseId: of.id,
    trial: trial.trial,
    output: "",
    latencyMs: waitedMs,
    durationMs,
    costUsd,
    usage,
    attempts: requests,
    unpricedRequests,
    servedBy: of.servedBy ?? null,
    fallback: of.fallback,
    finishReason: null,
    turns: [],
    toolCalls: [],
    assertions: trial.assertions.map((one, at) => restoreAssertion(one, messages?.assertions[at])),
    messages: [],
    ...(trial.confirmation === undefined ? {} : { fresh: trial.confirmation }),
  };
  if (status !== "errored") return { ...measured, status, error: null };
  const error = trial.error ?? { code: "UNKNOWN_ERROR", by: "outside" as const };
  return { ...measured, status, error: restoreError(error, messages?.error) };
}

function restoreAssertion(one: TrialDocument["assertions"][number], message = ""): AssertionResult {
  const { type, pass, score, weight = 1, skipped, error, userTurn } = one;
  return {
    type,
    pass,
    score,
    message,
    durationMs: 0,
    weight,
    ...(skipped === undefined ? {} : { skipped }),
    ...(error === undefined ? {} : { error: restoreError({ code: error, by: "outside" }, message) }),
    ...(userTurn === undefined ? {} : { userTurn }),
  };
}

/**
 * The trial of a JSON report. What reports leave out, such as the user turn of a request, is found out from the order of the
 * messages, or is as if it was not known. Null if it is not such a trial: anyone can upload anything.
 */
function restoreTranscript(measured: TrialResult, reported: unknown): TrialResult | null {
  if (!isRecord(reported)) return null;
  const turns = listOf(reported["turns"]).map(restoreTurn);
  const calls = listOf(reported["toolCalls"]).map(restoreCall);
  const messages = listOf(reported["messages"]).map(restoreMessage);
  const { unpricedRequests, caseId, trial } = measured;
  let found: Record<string, unknown> = {
    ...measured,
    ...without(reported, optional),
    ...placeCalls(messages, turns, calls),
    caseId,
    trial,
    unpricedRequests,
    error: reported["error"] ?? null,
    assertions: listOf(reported["assertions"]).map(restoreReportedAssertion),
    messages,
  };
  if (trialShape.check(found) !== null) return null;
  for (const key of optional) {
    const value = restoreField(key, reported[key]);
    const more = { ...found, [key]: value };
    if (value !== undefined && trialShape.check(more) === null) found = more;
  }
  const read = readStored(trialShape, found);
  return read.success ? read.data : null;
}

/** Requests of simulated users and judges are not in reports, and neither are the assertions of rejected tries. */
function restoreField(key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  if (key === "simulatedUser" || key === "judging") return { ...value, calls: [] };
  if (key !== "tries") return value;
  const rejected = listOf(value["rejected"]).map((one) => {
    if (!isRecord(one)) return one;
    return { ...one, assertions: [], messages: listOf(one["messages"]).map(restoreMessage) };
  });
  return { ...value, rejected };
}

function restoreMessage(message: unknown): unknown {
  if (!isRecord(message) || message["nudge"] !== true) return message;
  return { ...without(message, ["nudge"]), isNudge: true };
}

function restoreReportedAssertion(one: unknown): unknown {
  if (!isRecord(one)) return one;
  const parts = one["parts"] === undefined ? {} : { parts: listOf(one["parts"]).map(restoreReportedAssertion) };
  return { weight: 1, ...one, ...parts };
}

function listOf(value: unknown): readonly unknown[] {
  return isList(value) ? value : [];
}

function without(value: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}
