import type { ProviderErrorDetails } from "../../errors/provider-error-details.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";

export interface CircuitRefusal {
  model: string;
  /** In a row; null for a refused key. */
  failures: number | null;
  /** Until a probe is let through, milliseconds; null when one is under way, or when there will be none. */
  reopensInMs: number | null;
}

/** Tells that a call was not made, and what it would have met. */
export function circuitOpenError(last: KindlmError, { model, failures, reopensInMs }: CircuitRefusal): KindlmError {
  const { provider, apiKeyEnv } = providerDetailsOf(last);
  const why =
    failures === null
      ? `it refused the API key. ${last.message}`
      : `${failures} ${failures === 1 ? "call" : "calls in a row"} failed. The last: ${last.message}`;
  const details: ProviderErrorDetails = { provider, model, retryable: false };
  if (failures === null) details.keyRefused = true;
  if (reopensInMs !== null) details.reopensInMs = reopensInMs;
  if (apiKeyEnv !== undefined) details.apiKeyEnv = apiKeyEnv;
  return kindlmError("PROVIDER_CIRCUIT_OPEN", `${provider} was not asked, because ${why}`, {
    details,
  });
}

function providerDetailsOf(error: KindlmError): Pick<ProviderErrorDetails, "provider" | "apiKeyEnv"> {
  switch (error.code) {
    case "PROVIDER_AUTH_ERROR":
    case "PROVIDER_RATE_LIMIT":
    case "PROVIDER_API_ERROR":
    case "PROVIDER_TIMEOUT":
    case "PROVIDER_NETWORK_ERROR":
      return error.details ?? { provider: "The provider" };
    default:
      return { provider: "The provider" };
  }
}
