import type { JudgeErrorDetails } from "../errors/judge-error-details.js";
import type { KindlmError } from "../errors/kindlm-error.js";

/** What the error of a judge or a simulated user says about the error that it met. */
type CauseDetails = Pick<JudgeErrorDetails, "body"> & Required<Pick<JudgeErrorDetails, "causedBy">>;

/** Keeps an error away from the agent: a model that is not under test met it. An interruption stays what it is. */
export function wrapAuxiliaryError(
  error: KindlmError,
  wrap: (details: CauseDetails, cause: Error) => KindlmError,
): KindlmError {
  if (error.code === "ENGINE_ABORTED") return error;
  const { code, message, details, cause, origin } = error;
  const wrapped: CauseDetails = { causedBy: { code, message } };
  const limit = error.code === "ENGINE_BUDGET_EXCEEDED" ? error.details?.limit : undefined;
  if (limit !== undefined) wrapped.causedBy.limit = limit;
  // The provider's words are in the same place as in its own errors, so they are shown like those.
  if (details !== undefined && "body" in details && typeof details.body === "string") wrapped.body = details.body;
  const made = wrap(wrapped, cause ?? new Error(`${code}: ${message}`));
  // The attempt shows that the failure has been counted; the turn would be read as one of the agent.
  const { attempt, requestId } = origin ?? {};
  if (attempt === undefined) return made;
  return { ...made, origin: { attempt, ...(requestId === undefined ? {} : { requestId }) } };
}
