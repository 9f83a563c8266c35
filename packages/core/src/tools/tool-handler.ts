import type { KindlmError } from "../errors/kindlm-error.js";
import type { Clock } from "../values/clock.js";
import type { Delegation } from "../transcript/trial.js";
import type { FiredFault } from "../transcript/fired-fault.js";
import type { ResumedCall } from "../transcript/resumed-call.js";
import type { HookDecision } from "../transcript/hook-decision.js";
import type { PermissionDecision } from "../transcript/permission-decision.js";
import type { StateChange } from "../transcript/state-change.js";
import type { ToolErrorType } from "../transcript/tool-failure.js";
import { renderDuration } from "../values/duration.js";
import type { TrialState } from "./trial-state.js";

/** A failure as a tool source reports it; the runtime fills in the rest. */
export interface HandlerFailure {
  errorType: ToolErrorType;
  message: string;
  retryable?: boolean;
  recommendations?: readonly string[];
}

/**
 * `broken`: the test's own fixture cannot answer, which is nobody's answer to the model but the end of the trial, with
 * `brokenBy` where that is not an ENGINE_FIXTURE_ERROR.
 */
export type HandlerOutcome =
  | {
      ok: true;
      value: unknown;
      /** The value is the result even if it says `ok: false`: each of its parts has its own outcome. */
      isWhole?: true;
    }
  | { ok: false; failure: HandlerFailure }
  | { ok: false; failure: HandlerFailure; broken: true; brokenBy?: KindlmError };

/** What a call leaves for its audit record in addition to its outcome; kept even when the call does not answer in time. */
export interface CallAudit {
  /** The conversation with a sub-agent. */
  delegation?: Delegation;
  /** Resolves when what the call did is over, also if it did not answer in time; absent if its answer is the end. */
  settled?: Promise<unknown>;
  stateChanges?: readonly StateChange[];
  fault?: FiredFault;
  /** What answered in place of the tool, and why it did not. */
  fallback?: { by: "answer" | "last_value"; reason: HandlerFailure };
  hook?: HookDecision;
  permission?: PermissionDecision;
  /** Why it was not made again in a trial that was cut off. */
  resumed?: ResumedCall;
}

export interface HandlerContext {
  signal: AbortSignal;
  clock: Clock;
  /** Shared by the tools of the trial. */
  state: TrialState;
  audit: CallAudit;
  /**
   * Records an event of the call. Data that JSON cannot carry is refused by a throw. `at`: milliseconds since the epoch,
   * if it was emitted earlier.
   */
  emit(name: string, data?: unknown, at?: number): void;
}

/** Of a call that nobody waits for any longer. */
export const interrupted: HandlerOutcome = {
  ok: false,
  failure: { errorType: "aborted", message: "The tool call was interrupted" },
};

/** Of a call that its deadline ended, in the words that the model reads, also in a replay. */
export function tooLate(timeoutMs: number): HandlerOutcome {
  const message = `The tool did not answer within ${renderDuration(timeoutMs)}`;
  return { ok: false, failure: { errorType: "aborted", message } };
}

/** One tool of one trial: it may keep state between calls. A throw is a `runtime` error of the tool. */
export interface ToolHandler {
  execute(args: unknown, context: HandlerContext): Promise<HandlerOutcome>;
  /** What a call that did not answer in time comes to, where that is not the tool's own doing; else null. */
  whenLate?(): HandlerOutcome | null;
}

/** What the strings of a tool's answers may name besides `args`: the vars and the dataset row of the case. */
export type AnswerScope = Readonly<Record<string, unknown>>;
