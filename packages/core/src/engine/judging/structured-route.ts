import type { KindlmError } from "../../errors/kindlm-error.js";
import type { ModelRoute } from "../../resilience/model-route.js";
import { isRecord, type JsonObject, type JsonValue } from "../../values/json.js";

/**
 * The route with an answer of this schema asked for at each target. What the params of a model say themselves stands; the
 * models of `without` are not asked, since they refuse it.
 */
export function structuredRoute(route: ModelRoute, schema: JsonObject, without: ReadonlySet<string>): ModelRoute {
  const [first, ...others] = route.map((target) => {
    if (target.params.response_format !== undefined || without.has(target.endpoint.model)) return target;
    const format = { name: "judgement", schema: wireSchema(schema), strict: true };
    return { ...target, params: { ...target.params, response_format: format } };
  });
  return first === undefined ? route : [first, ...others];
}

const refusal =
  /response[_ ]?(?:format|json[_ ]?schema|schema|mime)|json[_ ]?(?:schema|mode)|output[_ ]?(?:config|format)|text[_ ]?format|structured|\bformat\b/i;

/** Whether a provider refused the request because the model cannot answer in a given schema. */
export function refusesStructure(error: KindlmError): boolean {
  if (error.code !== "PROVIDER_API_ERROR") return false;
  const { status, body } = error.details ?? {};
  if (status === undefined || status < 400 || status >= 500) return false;
  return refusal.test(`${error.message} ${typeof body === "string" ? body : ""}`);
}

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
function wireSchema(schema: JsonObject): JsonObject {
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
