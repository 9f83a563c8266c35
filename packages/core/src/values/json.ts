import { attemptSync } from "../errors/boundary.js";
import { failure, type Result } from "../result.js";
import { jsonLimitOf, textLimitOf } from "./parse-json.js";

/** Any value that JSON can carry. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export type JsonObject = { [key: string]: JsonValue };

/** True for an object that is neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for an object without a class, from any realm. */
export function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  // An object of another realm has another Object.prototype, which in turn has none.
  return typeof prototype === "object" && Object.getPrototypeOf(prototype) === null;
}

/** The text; empty for what is none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * A copy of a value as JSON carries it, undefined as null. Throws what `JSON.stringify` throws, and a RangeError for what
 * is beyond the limits of values from outside.
 */
export function toJsonValue(value: unknown): JsonValue {
  const text = toJsonText(value);
  if (!text.success) throw text.error;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has just been written as JSON
  return text.data === undefined ? null : (JSON.parse(text.data) as JsonValue);
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
