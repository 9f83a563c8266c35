import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";

/** Keeps an error away from the agent: the model that plays the user met it. An interruption stays what it is. */
export function simulatedUserError(error: KindlmError, model: string, tries: number): KindlmError {
  if (error.code === "ENGINE_ABORTED") return error;
  const { code, message, details, cause, origin } = error;
  // The provider's words are in the same place as in the provider's own errors, so they are shown like those.
  const body = details !== undefined && "body" in details && typeof details.body === "string" ? details.body : null;
  const spent = error.code === "ENGINE_BUDGET_EXCEEDED" ? error.details?.limit : undefined;
  const wrapped: KindlmError = kindlmError(
    "SIMULATED_USER_ERROR",
    `The simulated user (${model}) could not go on: ${message}`,
    {
      details: {
        role: "simulated_user",
        model,
        tries,
        causedBy: { code, message, ...(spent === undefined ? {} : { limit: spent }) },
        ...(body === null ? {} : { body }),
      },
      cause: cause ?? new Error(`${code}: ${message}`),
    },
  );
  // The attempt tells that the failure has been counted; the turn would be read as one of the agent.
  const { attempt, requestId } = origin ?? {};
  if (attempt === undefined) return wrapped;
  return { ...wrapped, origin: { attempt, ...(requestId === undefined ? {} : { requestId }) } };
}
