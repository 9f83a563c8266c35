/** Any value that JSON can carry. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export type JsonObject = { [key: string]: JsonValue };

/** True for an object that is neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text; empty for what is none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A copy of a value as JSON carries it, undefined as null. Throws what `JSON.stringify` throws. */
export function toJsonValue(value: unknown): JsonValue {
  const text: unknown = JSON.stringify(value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has just been written as JSON
  return typeof text === "string" ? (JSON.parse(text) as JsonValue) : null;
}
