import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";

/** Says of a provider's error that a judge met it, and not the agent. An interruption stays what it is. */
export function judgeError(error: KindlmError, judge: string, tries: number, role = "judge"): KindlmError {
  if (error.code === "ENGINE_ABORTED") return error;
  const { code, message, details, cause, origin } = error;
  const body = details !== undefined && "body" in details && typeof details.body === "string" ? details.body : null;
  const limit = error.code === "ENGINE_BUDGET_EXCEEDED" ? error.details?.limit : undefined;
  const wrapped: KindlmError = kindlmError("JUDGE_EVAL_ERROR", `The ${role} ${judge} could not be asked: ${message}`, {
    details: {
      judge,
      tries,
      causedBy: { code, message, ...(limit === undefined ? {} : { limit }) },
      ...(body === null ? {} : { body }),
    },
    cause: cause ?? new Error(`${code}: ${message}`),
  });
  // The attempt tells that the failure has been counted; the turn would be read as one of the agent.
  const { attempt, requestId } = origin ?? {};
  if (attempt === undefined) return wrapped;
  return { ...wrapped, origin: { attempt, ...(requestId === undefined ? {} : { requestId }) } };
}
