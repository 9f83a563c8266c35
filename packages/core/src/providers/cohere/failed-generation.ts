import type { InBandError } from "../wire-format.js";

/** What the server would have answered if it had known in time that it cannot finish. */
const statuses: Readonly<Record<string, number>> = { ERROR: 500, TIMEOUT: 504 };

/** A generation that the server gave up in the middle, as the error reply that it would have been; else null. */
export function failedGeneration(finishReason: unknown, told: Record<string, unknown>): InBandError | null {
  const status =
    typeof finishReason === "string" && Object.hasOwn(statuses, finishReason) ? statuses[finishReason] : undefined;
  return status === undefined ? null : { status, body: JSON.stringify(told) };
}
