import { errorTable } from "../../errors/error-table.js";
import type { JsonObject, JsonValue } from "../../values/json.js";

export const text: JsonObject = { type: "string" };
export const flag: JsonObject = { type: "boolean" };
export const count: JsonObject = { type: "integer", minimum: 0 };
export const amount: JsonObject = { type: "number", minimum: 0 };
export const rate: JsonObject = { type: "number", minimum: 0, maximum: 1 };
export const anything: JsonObject = {};
export const interval: JsonObject = {
  description: "Wilson 95% interval",
  type: ["array", "null"],
  items: rate,
  minItems: 2,
  maxItems: 2,
};

export function usage(): JsonObject {
  return record({ inputTokens: count, outputTokens: count }, { cachedInputTokens: count, reasoningTokens: count });
}

export function position(): JsonObject {
  return nullable(record({ file: text, line: count, column: count, length: count }));
}

export function code(): JsonObject {
  return { enum: Object.keys(errorTable) };
}

/** An object that has all of `properties` and may have the `optional` ones. */
export function record(properties: JsonObject, optional: JsonObject = {}): JsonObject {
  return { type: "object", required: Object.keys(properties), properties: { ...properties, ...optional } };
}

export function list(items: JsonValue): JsonObject {
  return { type: "array", items };
}

export function nullable(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: "null" }] };
}
