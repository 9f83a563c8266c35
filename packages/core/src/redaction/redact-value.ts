import type { JsonValue } from "../values/json.js";

const deepest = 100;

/**
 * Any value as JSON can carry it, with `redact` applied to each text of it, keys included. What JSON does not know
 * becomes null or text; cycles are cut.
 */
export function redactValue(value: unknown, redact: (text: string) => string): JsonValue {
  return toJson(value, redact, []);
}

/** As {@link redactValue}, for what is plain data already: only its strings change. */
export function redactCopy<T>(value: T, redact: (text: string) => string): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a copy of plain data has its shape
  return (value === undefined ? value : toJson(value, redact, [])) as T;
}

function toJson(value: unknown, redact: (text: string) => string, above: readonly object[]): JsonValue {
  if (typeof value === "string") return redact(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean") return value;
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return null;
  if (above.includes(value) || above.length >= deepest) return "[…]";
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Error) return redact(`${value.name}: ${value.message}`);
  const path = [...above, value];
  if (Array.isArray(value)) return value.map((item) => toJson(item, redact, path));
  // fromEntries defines properties, so that a key named __proto__ stays data.
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined && typeof item !== "function")
      .map(([key, item]) => [redact(key), toJson(item, redact, path)]),
  );
}
