import type { KindlmError } from "../errors/kindlm-error.js";

/**
 * Whether another model is asked after this error: on a rate limit, a timeout, a network failure, a 5xx or an open
 * circuit. Never on a refused key, an exhausted quota or another 4xx, which people have to fix, and never after a
 * part of the answer was there.
 */
export function mayFallBack(error: KindlmError): boolean {
  switch (error.code) {
    case "PROVIDER_RATE_LIMIT":
    case "PROVIDER_TIMEOUT":
    case "PROVIDER_NETWORK_ERROR":
      return (error.details?.partialText ?? "") === "";
    case "PROVIDER_API_ERROR": {
      const { status = 0, quota = false, partialText = "" } = error.details ?? {};
      return status >= 500 && !quota && partialText === "";
    }
    case "PROVIDER_CIRCUIT_OPEN":
      return error.details?.keyRefused !== true;
    default:
      return false;
  }
}
