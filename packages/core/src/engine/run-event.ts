import type { AssertionResult } from "../assertions/assertion-result.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import type { HookDecision } from "../transcript/hook-decision.js";
import type { ApprovalRequest } from "../transcript/permission-decision.js";
import type { ToolFailure } from "../transcript/tool-failure.js";
import type { UsedFallback } from "../transcript/used-fallback.js";
import type { JsonValue } from "../values/json.js";
import type { NudgeEvent } from "./after-tool-error/nudge.js";
import type { ExtraTrialsEvent } from "./extra-trials/extra-trials.js";
import type { TryRejectedEvent } from "./retry-until/trial-tries.js";
import type { FileChangedEvent } from "./trial-workspace/file-changed-event.js";
import type { TestResult, TrialResult } from "./run-result.js";

/** Names the trial that an event belongs to. */
export interface TrialRef {
  suite: string;
  caseId: string;
  trial: number;
}

/** Set on the calls of a simulated user, a judge, an embedding model or a sub-agent; their `turn` counts their own requests. */
export interface CallRole {
  role?: "simulated_user" | "judge" | "embedder" | "sub_agent";
  /** Of a sub-agent: the templates from the agent under test down to its own. */
  agent?: readonly string[];
}

/**
 * What became of a call that ended with an error: its tool failed, it was denied, or it was cut off in an earlier session
 * of the run and not made again. The words are those of the KODE SDK.
 */
export type FailedCallState = "FAILED" | "DENIED" | "SEALED";

/** What happened, without its stamp. Every `:start` has exactly one `:end`. */
export type RunEventBody =
  | {
      channel: "progress";
      type: "run:start";
      runId: string;
      suites: number;
      cases: number;
      trials: number;
      /** Trials at a time, at most. */
      concurrency: number;
      /** US dollars that the run may cost; null for no limit. */
      maxCostUsd: number | null;
    }
  | { channel: "progress"; type: "run:end"; runId: string; interrupted: boolean }
  | { channel: "progress"; type: "suite:start"; suite: string; cases: number }
  | { channel: "progress"; type: "suite:end"; suite: string }
  | ({ channel: "progress"; type: "trial:start" } & TrialRef)
  | ({
      channel: "progress";
      type: "trial:end";
      status: "passed" | "failed" | "errored";
      costUsd: number | null;
    } & TrialRef)
  /** The trial is that of an earlier session of the run, or of another run, and is not run again. */
  | ({
      channel: "progress";
      type: "trial:carried";
      status: "passed" | "failed" | "errored";
      costUsd: number | null;
    } & TrialRef)
  | {
      channel: "progress";
      type: "case:end";
      suite: string;
      result: TestResult;
      /** What those of the decisive trial found. */
      assertions: readonly AssertionResult[];
      /** Its trial if it has only one and passed, transcript included: who keeps it keeps much. Null for other cases. */
      trial: TrialResult | null;
    }
  | ExtraTrialsEvent
  | ({ channel: "progress"; type: "turn:start"; turn: number } & TrialRef)
  | ({ channel: "progress"; type: "turn:end"; turn: number; finishReason: string | null } & TrialRef)
  /** A call waits until the limits of its model leave room for it. Calls that need not wait have no such event. */
  | ({ channel: "progress"; type: "queue:start"; turn: number; provider: string; model: string } & TrialRef & CallRole)
  | ({ channel: "progress"; type: "queue:end"; turn: number; provider: string; model: string } & TrialRef & CallRole)
  | ({
      channel: "monitor";
      type: "attempt:start";
      turn: number;
      attempt: number;
      provider: string;
      model: string;
    } & TrialRef &
      CallRole)
  | ({
      channel: "monitor";
      type: "attempt:end";
      turn: number;
      attempt: number;
      provider: string;
      latencyMs: number;
      error: KindlmError | null;
    } & TrialRef &
      CallRole)
  | ({
      channel: "progress";
      type: "retry:start";
      turn: number;
      attempt: number;
      provider: string;
      model: string;
      /** From 1, of at most `retries`; a fallback counts its own. */
      retry: number;
      retries: number;
      waitMs: number;
      error: KindlmError;
    } & TrialRef &
      CallRole)
  | ({ channel: "progress"; type: "retry:end"; turn: number; attempt: number; provider: string } & TrialRef & CallRole)
  | ({ channel: "progress"; type: "fallback"; turn: number; from: string; to: string; error: KindlmError } & TrialRef &
      CallRole)
  | {
      channel: "monitor";
      type: "breaker";
      provider: string;
      /** Null for all models of the provider: the key was refused. */
      model: string | null;
      state: "open" | "half_open" | "closed";
      /** What opened it; null when it closes. */
      error: KindlmError | null;
      /** How long until a call may try again, milliseconds; null when none will, or when it does not open. */
      resetMs: number | null;
    }
  | {
      channel: "progress";
      type: "limiter";
      provider: string;
      model: string;
      because: "rate_limit" | "growth" | "waiting";
      /** Calls at a time to the provider. */
      limit: number;
      /** Calls per second to the model; null while nothing is known to limit them. */
      ratePerSecond: number | null;
      /** How long its calls wait from now, milliseconds; 0 for no pause. */
      pausedMs: number;
    }
  | (TryRejectedEvent & TrialRef)
  | ({ channel: "progress"; type: "tool:start"; tool: string; callId: string } & TrialRef)
  | ({
      channel: "progress";
      type: "tool:end";
      tool: string;
      callId: string;
      ok: boolean;
      durationMs: number;
      /** What a plugin made of the call; absent if no plugin changed the call. */
      hook?: HookDecision;
    } & TrialRef)
  | ({
      channel: "progress";
      type: "tool:error";
      tool: string;
      callId: string;
      /** As the agent gave them; the raw text if it is not JSON. */
      args: unknown;
      failure: ToolFailure;
      call: { state: FailedCallState };
    } & TrialRef)
  /** Something answered in place of a real tool, for `reason`. */
  | ({ channel: "progress"; type: "tool:fallback"; tool: string; callId: string } & UsedFallback & TrialRef)
  /** A call needs an approval; the names are those of the KODE SDK. */
  | ({
      channel: "control";
      type: "permission:required";
      tool: string;
      callId: string;
      permissionId: string;
    } & ApprovalRequest &
      TrialRef)
  /** An entry of `approvals` has answered. A call without this event is pending. */
  | ({
      channel: "control";
      type: "permission:decided";
      tool: string;
      callId: string;
      permissionId: string;
      decision: "approved" | "denied";
      note?: string;
    } & TrialRef)
  | (NudgeEvent & TrialRef)
  | (FileChangedEvent & TrialRef & CallRole)
  /** What a tool emitted during its call; reported when the call ends, with the time at which it was emitted. */
  | ({ channel: "monitor"; type: "tool:event"; tool: string; callId: string; name: string; data: JsonValue } & TrialRef)
  /** The conversation is over, and the assertions are evaluated from here on. */
  | ({ channel: "progress"; type: "evaluation" } & TrialRef)
  | ({ channel: "monitor"; type: "assertion"; result: AssertionResult } & TrialRef)
  | ({
      channel: "monitor";
      type: "error";
      severity: "warn" | "error";
      phase: "model" | "tool" | "sandbox" | "judge" | "store" | "system";
      message: string;
      error?: KindlmError;
      detail?: Readonly<Record<string, unknown>>;
    } & Partial<TrialRef>);

/** One event of the single, ordered stream of a run. */
export type RunEvent = RunEventBody & {
  /** From 1, without gaps. */
  seq: number;
  /** Milliseconds since the epoch. */
  time: number;
};

export type RunEventType = RunEvent["type"];
