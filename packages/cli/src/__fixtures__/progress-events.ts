import { kindlmError, type RunEvent, type RunEventBody, type TestResult } from "@kindlm/core";
import { erroredCase, failedCase, passedCase, sampleAssertion } from "../../../core/src/__fixtures__/sample-run.js";

type Verdict = "passed" | "failed" | "errored";

let seq = 0;

/** Events of a run, as core would emit them, each at the time that it is given. */
export function stamped(body: RunEventBody, time: number): RunEvent {
  seq += 1;
  return { ...body, seq, time };
}

export function trialRef(caseId: string, trial = 1): { suite: string; caseId: string; trial: number } {
  return { suite: caseId.split("/")[0] ?? "", caseId, trial };
}

export function runStart(trials: number, { concurrency = 8, maxCostUsd = null as number | null } = {}): RunEventBody {
  return {
    channel: "progress",
    type: "run:start",
    runId: "r",
    suites: 1,
    cases: trials,
    trials,
    concurrency,
    maxCostUsd,
  };
}

export const runEnd: RunEventBody = { channel: "progress", type: "run:end", runId: "r", interrupted: false };

export function trialStart(caseId: string, trial = 1): RunEventBody {
  return { channel: "progress", type: "trial:start", ...trialRef(caseId, trial) };
}

export function trialEnd(caseId: string, status: Verdict, costUsd: number | null = null, trial = 1): RunEventBody {
  return { channel: "progress", type: "trial:end", status, costUsd, ...trialRef(caseId, trial) };
}

interface CaseChanges {
  /** What its assertion, or its error, says. */
  reason?: string;
  runs?: number;
  passes?: number;
  nudges?: { count: number; trials: number };
}

/** The end of a case. */
export function caseEnd(id: string, status: Verdict, { reason = "no", ...changes }: CaseChanges = {}): RunEventBody {
  const isFailed = status === "failed";
  const assertions = isFailed ? [sampleAssertion({ type: "module", pass: false, score: 0, message: reason })] : [];
  return { channel: "progress", type: "case:end", suite: "s", result: resultOf(), assertions, trial: null };

  function resultOf(): TestResult {
    if (status === "errored") return erroredCase("x", kindlmError("UNKNOWN_ERROR", reason), { id, ...changes });
    return isFailed ? failedCase("x", { id, ...changes }) : passedCase("x", { id, ...changes });
  }
}

/** A case of one trial from its start to its verdict. */
export function wholeCase(caseId: string, status: Verdict, reason?: string): readonly RunEventBody[] {
  return [
    trialStart(caseId),
    trialEnd(caseId, status),
    caseEnd(caseId, status, reason === undefined ? {} : { reason }),
  ];
}

export function attemptStart(
  caseId: string,
  turn: number,
  more: { role?: "judge" | "simulated_user" } = {},
): RunEventBody {
  const call = { turn, attempt: 1, provider: "openai", model: "gpt", ...more };
  return { channel: "monitor", type: "attempt:start", ...trialRef(caseId), ...call };
}

export function attemptEnd(caseId: string, turn: number): RunEventBody {
  const call = { turn, attempt: 1, provider: "openai", latencyMs: 5, error: null };
  return { channel: "monitor", type: "attempt:end", ...trialRef(caseId), ...call };
}

export function retryStart(
  caseId: string,
  waitMs: number,
  { retry = 1, limited = true, trial = 1 } = {},
): RunEventBody {
  const error = limited ? kindlmError("PROVIDER_RATE_LIMIT", "429") : kindlmError("PROVIDER_TIMEOUT", "late");
  const call = { turn: 9, attempt: retry, provider: "openai", model: "gpt", retry, retries: 3, waitMs, error };
  return { channel: "progress", type: "retry:start", ...trialRef(caseId, trial), ...call };
}
