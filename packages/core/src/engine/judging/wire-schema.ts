import { isRecord, type JsonObject, type JsonValue } from "../../values/json.js";

/**
 * Bounds of values, which some providers refuse in the schema of an answer (Anthropic all of them, OpenAI some). They
 * are checked on the answer, and the prompt names them.
 */
const bounds: ReadonlySet<string> = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
]);

const known = new WeakMap<JsonObject, JsonObject>();

/** The schema as every provider takes it. */
export function wireSchema(schema: JsonObject): JsonObject {
  const found = known.get(schema);
  if (found !== undefined) return found;
  const made: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties" && isRecord(value)) made[key] = mapValues(value);
    else if (!bounds.has(key)) made[key] = isObject(value) ? wireSchema(value) : value;
  }
  known.set(schema, made);
  return made;
}

function mapValues(properties: { [key: string]: JsonValue }): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, isObject(value) ? wireSchema(value) : value]),
  );
}

function isObject(value: JsonValue): value is JsonObject {
  return isRecord(value);
}
