import { attempt, attemptResult } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError, locateError, type ErrorOrigin, type KindlmError } from "../errors/kindlm-error.js";
import type { PlannedCase } from "../plan/run-plan.js";
import type { Result } from "../result.js";
import { unstartedTrial } from "./empty-trial.js";
import type { TrialResult } from "./run-result.js";
import type { TrialDeadline } from "./trial-deadline.js";

/**
 * Runs a part of a trial. Whatever it throws becomes its error: no model, tool or file may end more than the trial that
 * met it.
 */
export function withinTrial<T>(part: () => Promise<Result<T>> | Result<T>): Promise<Result<T>> | Result<T> {
  return attemptResult(part, unexpectedError);
}

/** The error for an unexpected exception. It is attributed to KindLM, so it does not count in any rate. */
export function unexpectedError(cause: unknown): KindlmError {
  return kindlmError("UNKNOWN_ERROR", messageOf(cause), { cause });
}

/** Where a trial happens, for an error that has no other place. */
export interface TrialPlace {
  planned: PlannedCase;
  trial: number;
  runId: string;
}

export function originOf({ planned: { id, suite, test }, trial, runId }: TrialPlace): ErrorOrigin {
  return { runId, suite, test: test.name, caseId: id, trial };
}

/**
 * Makes a trial. If that throws after all, the trial is errored, and nothing else is known of it. The deadline is let go
 * of however the trial ends; null for a trial that has none yet.
 */
export function trialOrError(
  place: TrialPlace,
  deadline: Pick<TrialDeadline, "release"> | null,
  make: () => Promise<TrialResult>,
): Promise<TrialResult> {
  return attempt(make, unexpectedError).then((made) => {
    deadline?.release();
    if (made.success) return made.data;
    return unstartedTrial(place.planned.id, place.trial, locateError(made.error, originOf(place)));
  });
}
