import { attemptSync } from "../errors/boundary.js";
import { failure, type Result } from "../result.js";
import { jsonLimitOf, textLimitOf } from "./parse-json.js";
import { type JsonValue, parseOwnJson } from "./json.js";

/**
 * A copy of a value as JSON carries it, undefined as null. Throws what `JSON.stringify` throws, and a RangeError for what
 * is beyond the limits of values from outside.
 */
export function toJsonValue(value: unknown): JsonValue {
  const text = toJsonText(value);
  if (!text.success) throw text.error;
  return text.data === undefined ? null : parseOwnJson(text.data);
}

/** A value as JSON, undefined for what JSON does not have. Fails with what {@link toJsonValue} throws. */
export function toJsonText(value: unknown): Result<string | undefined, unknown> {
  const text = attemptSync<string | undefined, unknown>(
    () => JSON.stringify(value),
    (cause) => cause,
  );
  // A value that holds itself is nested without end, which is said better.
  if (!text.success && !(text.error instanceof RangeError)) return text;
  const limit = jsonLimitOf(value) ?? (text.success ? textLimitOf(text.data ?? "") : null);
  return limit === null ? text : failure(new RangeError(`it is ${limit}`));
}
