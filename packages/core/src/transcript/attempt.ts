import { errorCodeShape, errorShape } from "../errors/error-shape.js";
import { nullable } from "../shape/compound.js";
import { derived, internal, timing, volatileAnywhere } from "../shape/field.js";
import { record } from "../shape/record.js";
import { literal, ms, number, ordinal, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";

/** One HTTP try of a turn. */
export const attemptShape = record(
  {
    /** From 1 within the turn, those of fallback models included. */
    attempt: ordinal,
    /** Name of the provider in the config. */
    provider: text,
    /** When the request was sent, milliseconds since the epoch. */
    startedAt: internal(number),
    /** Time spent waiting for the provider. */
    latencyMs: timing,
    error: nullable(errorShape),
    requestId: nullable(text),
    /** How long was waited before the next attempt; null when there was none. */
    waitedMs: volatileAnywhere(nullable(ms)),
  },
  {
    /** How long it waited for its turn before that; absent if it did not. */
    queuedMs: timing,
    /** It waited for a rate limit, not for requests that were in flight. */
    isRateLimited: literal(true),
    /** True where a recording answered; `latencyMs` is then that of the recording. */
    replayed: literal(true),
  },
);
export type AttemptRecord = Static<typeof attemptShape>;

const { attempt, provider, requestId, waitedMs } = attemptShape.always;

/** An attempt that failed, as it is reported. */
export const failedAttemptShape = record({
  attempt,
  provider,
  code: derived(errorCodeShape, ({ error }: AttemptRecord) => error?.code),
  message: derived(text, ({ error }: AttemptRecord, view) => (error === null ? undefined : view.text(error.message))),
  requestId,
  waitedMs,
});

/** Whether anything went over the network: not where the key is missing, say. */
export function wasSent({ error }: AttemptRecord): boolean {
  const details = error?.details;
  return details === undefined || !("sent" in details) || details.sent !== false;
}
