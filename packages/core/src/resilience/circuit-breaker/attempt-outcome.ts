import type { KindlmError } from "../../errors/kindlm-error.js";

/**
 * What an attempt says about the server:
 * - `answered`: it is alive. That holds for errors too that the same call would meet again, such as a 400 or a 403.
 * - `failed`: it did not do its work, and might the next time.
 * - `rate_limited`: it is alive but busy (429), which is the limiter's affair.
 * - `key_refused`: it does not take the key (401, and 400 of servers that say it so), whatever the call.
 * - `unknown`: nothing, because the attempt was cancelled or never reached it.
 */
export type AttemptOutcome = "answered" | "failed" | "rate_limited" | "key_refused" | "unknown";

/** Returns the outcome of an attempt. `retryable`: whether the same call may work again, by the policy of the call. */
export function outcomeOf(error: KindlmError | null, retryable: boolean): AttemptOutcome {
  switch (error?.code) {
    case undefined:
      return "answered";
    case "PROVIDER_RATE_LIMIT":
      return "rate_limited";
    case "PROVIDER_AUTH_ERROR":
      return isAboutTheKey(error.details?.status) ? "key_refused" : "answered";
    case "PROVIDER_TIMEOUT":
    case "PROVIDER_NETWORK_ERROR":
      return retryable ? "failed" : "unknown";
    case "PROVIDER_API_ERROR":
      return retryable ? "failed" : "answered";
    default:
      return "unknown";
  }
}

/** A 403 may be about one model only, and without a status nothing was sent. */
function isAboutTheKey(status: number | undefined): boolean {
  return status === 401 || status === 400;
}
