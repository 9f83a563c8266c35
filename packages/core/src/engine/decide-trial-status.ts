import type { TrialDecision } from "../assertions/score-trial.js";
import type { TrialToolCall } from "../transcript/trial.js";
import { attributionOf, kindlmError, locateError, type ErrorOrigin, type KindlmError } from "../errors/kindlm-error.js";

export type TrialStatus = { status: "passed" | "failed"; error: null } | { status: "errored"; error: KindlmError };

/** Everything that the status of a trial depends on. */
export interface TrialFindings {
  /** Why there is nothing to evaluate; null if the conversation came to an end that says something about the agent. */
  stoppedBy: KindlmError | null;
  /** What ended the trial from outside while it was evaluated, such as its deadline; null if nothing did. */
  interruptedBy: KindlmError | null;
  /** The agent failed before its assertions: by a tool error that ends the trial, or by answers that were rejected. */
  isLost: boolean;
  /** What the assertions say; null if there are none to ask. */
  asserted: TrialDecision | null;
  /** Calls with effects that an interrupted trial had made before are not made again, and marked so. */
  toolCalls: readonly Pick<TrialToolCall, "resumed">[];
}

/** The only place that decides the status of a trial, and with which error it is errored. */
export function decideTrialStatus(findings: TrialFindings): TrialStatus {
  const { stoppedBy, interruptedBy } = findings;
  const found = statusOf(findings);
  const resumedCalls = isBlamed(found) ? countResumed(findings.toolCalls) : 0;
  if (resumedCalls > 0) return { status: "errored", error: resumedError(resumedCalls) };
  // The reason why an assertion was cut short says more than its own error.
  const isCutShort = found.status === "errored" && stoppedBy === null && interruptedBy !== null;
  return isCutShort ? { status: "errored", error: interruptedBy } : found;
}

/** The status with the place where its error happened. */
export function locateStatus(decided: TrialStatus, origin: ErrorOrigin): TrialStatus {
  return decided.status === "errored" ? { status: "errored", error: locateError(decided.error, origin) } : decided;
}

function statusOf({ stoppedBy, isLost, asserted }: TrialFindings): TrialStatus {
  if (stoppedBy !== null) return { status: "errored", error: stoppedBy };
  if (isLost) return { status: "failed", error: null };
  if (asserted === null) return { status: "passed", error: null };
  return asserted.status === "errored"
    ? { status: "errored", error: asserted.error }
    : { status: asserted.status, error: null };
}

function countResumed(toolCalls: TrialFindings["toolCalls"]): number {
  let resumed = 0;
  for (const call of toolCalls) if (call.resumed !== undefined) resumed += 1;
  return resumed;
}

function isBlamed({ status, error }: TrialStatus): boolean {
  return status === "failed" || (error !== null && attributionOf(error) === "agent");
}

/** An agent that met the answers of an interrupted conversation is not to blame for the result. */
function resumedError(resumedCalls: number): KindlmError {
  const message =
    "The trial was interrupted, and KindLM did not repeat its calls of tools with effects. It did not pass, possibly because of the interruption";
  return kindlmError("ENGINE_ABORTED", message, { details: { resumedCalls } });
}
