import type { ProviderErrorDetails } from "../../errors/error-table.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";

/** Tells that a call was not made, and what it would have met. `failures`: in a row; null for a refused key. */
export function circuitOpenError(
  last: KindlmError,
  { model, failures }: { model: string; failures: number | null },
): KindlmError {
  const { provider, apiKeyEnv } = providerDetailsOf(last);
  const why =
    failures === null
      ? `it refused the API key. ${last.message}`
      : `${failures} ${failures === 1 ? "call" : "calls in a row"} failed. The last: ${last.message}`;
  const details: ProviderErrorDetails = { provider, model, retryable: false };
  if (apiKeyEnv !== undefined) details.apiKeyEnv = apiKeyEnv;
  return kindlmError("PROVIDER_CIRCUIT_OPEN", `${provider} was not asked, because ${why}`, {
    details,
  });
}

function providerDetailsOf(error: KindlmError): Pick<ProviderErrorDetails, "provider" | "apiKeyEnv"> {
  switch (error.code) {
    case "PROVIDER_AUTH_ERROR":
    case "PROVIDER_API_ERROR":
    case "PROVIDER_TIMEOUT":
    case "PROVIDER_NETWORK_ERROR":
      return error.details ?? { provider: "The provider" };
    default:
      return { provider: "The provider" };
  }
}
