import { isRecord } from "../values/json.js";
import { preview } from "../values/preview.js";
import type { HandlerFailure, HandlerOutcome } from "./tool-handler.js";

/**
 * Reads a returned `{ ok: false, error }` as the failure that it reports, for every kind of tool. `retryable` and
 * `recommendations` next to it are the tool's own.
 */
export function readReturned(outcome: HandlerOutcome): HandlerOutcome {
  if (!outcome.ok || outcome.isWhole === true || !isRecord(outcome.value) || outcome.value["ok"] !== false)
    return outcome;
  const { error, message, retryable, recommendations } = outcome.value;
  const told = error ?? message;
  const failure: HandlerFailure = {
    errorType: "logical",
    message: typeof told === "string" ? told : told === undefined ? "The tool failed" : preview(told),
  };
  if (typeof retryable === "boolean") failure.retryable = retryable;
  if (Array.isArray(recommendations)) failure.recommendations = recommendations.filter(isText);
  return { ok: false, failure };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
