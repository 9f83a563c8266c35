import { isRecord } from "../../values/json.js";
import { streamedError } from "../http/streaming/streamed-error.js";
import type { InBandError } from "../wire-format.js";

/**
 * OpenRouter answers 200 and then `{ error: { code, message } }` when the server behind it fails; `code` is the status.
 * Null for a reply that has choices.
 */
export function inBandError(json: Record<string, unknown>): InBandError | null {
  const { error, choices } = json;
  if (!isRecord(error) || (Array.isArray(choices) && choices.length > 0)) return null;
  const { status, body } = streamedError(json);
  return { status, body };
}
