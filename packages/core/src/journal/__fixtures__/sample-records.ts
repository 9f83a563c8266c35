import type { TrialResult } from "../../engine/run-result.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import type { AttemptRecord } from "../../transcript/attempt.js";
import type { TurnRecord } from "../../transcript/turn.js";
import { journalVersion, type JournalHeader, type TrialIdentity, type TrialRecord } from "../journal-record.js";

export const sampleIdentity: TrialIdentity = { agentHash: "a1", setupHash: "b2", scoringHash: "c3" };

export function sampleHeader(changes: Partial<JournalHeader> = {}): JournalHeader {
  return {
    kind: "run",
    version: journalVersion,
    kindlm: "0.1.0",
    runId: "20260215-103000000-a1b2c3",
    startedAt: "2026-02-15T10:30:00.000Z",
    seed: 1,
    project: "acme",
    files: ["kindlm.yaml"],
    options: { paths: [] },
    ...changes,
  };
}

export function sampleAttempt(changes: Partial<AttemptRecord> = {}): AttemptRecord {
  const always = { attempt: 1, provider: "openai", startedAt: 1_000, latencyMs: 12, error: null, requestId: null };
  return { ...always, waitedMs: null, ...changes };
}

export function sampleTurn(attempts: readonly AttemptRecord[]): TurnRecord {
  return {
    turn: 1,
    userTurn: 1,
    latencyMs: 12,
    usage: { inputTokens: 10, outputTokens: 5 },
    costUsd: 0.5,
    finishReason: "stop",
    servedBy: "m",
    fallback: null,
    timeToFirstTokenMs: null,
    attempts,
  };
}

type Changes = Partial<Omit<TrialResult, "status" | "error">>;

const parts = {
  caseId: "s/t@m",
  trial: 1,
  output: "hello",
  latencyMs: 12,
  durationMs: 15,
  costUsd: 0.5,
  usage: { inputTokens: 10, outputTokens: 5 },
  attempts: 1,
  unpricedRequests: 0,
  servedBy: "m",
  fallback: null,
  finishReason: "stop",
  turns: [],
  toolCalls: [],
  messages: [
    { role: "user" as const, content: "hi" },
    { role: "assistant" as const, text: "hello", toolCalls: [] },
  ],
  assertions: [],
};

export function passedTrial(changes: Changes = {}): TrialResult {
  return { ...parts, ...changes, status: "passed", error: null };
}

/** Errored by what went wrong outside, unless another error is given. */
export function erroredTrial(
  changes: Changes = {},
  error: KindlmError = kindlmError("PROVIDER_NETWORK_ERROR", "The connection broke", {
    cause: new Error("ECONNRESET"),
  }),
): TrialResult {
  return { ...parts, ...changes, status: "errored", error };
}

export function trialRecord(trial: TrialResult, changes: Partial<TrialRecord> = {}): TrialRecord {
  return { kind: "trial", at: 1_000, identity: sampleIdentity, trial, ...changes };
}
