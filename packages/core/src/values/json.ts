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

/** True for a list. Unlike `Array.isArray`, it leaves the type of the items open instead of unchecked. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Parses what a serializer has just written. Text from outside goes through `parseJson`. */
export function parseOwnJson(text: string): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse gives is JSON
  return JSON.parse(text) as JsonValue;
}

/** The text; empty for what is none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
