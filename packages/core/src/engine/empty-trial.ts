import type { KindlmError } from "../errors/kindlm-error.js";
import type { TrialResult } from "./run-result.js";

type TrialParts = Omit<TrialResult, "status" | "error">;

/** A trial in which nothing was said. */
export function emptyTrial(caseId: string, trial: number): TrialParts {
  return {
    caseId,
    trial,
    output: "",
    latencyMs: 0,
    durationMs: 0,
    costUsd: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    attempts: 0,
    unpricedRequests: 0,
    servedBy: null,
    fallback: null,
    finishReason: null,
    turns: [],
    toolCalls: [],
    messages: [],
    assertions: [],
  };
}

/** A trial that never began: nothing was sent anywhere. */
export function unstartedTrial(caseId: string, trial: number, error: KindlmError): TrialResult {
  return { ...emptyTrial(caseId, trial), status: "errored", error };
}
