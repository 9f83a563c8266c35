import type { KindlmError } from "../../errors/kindlm-error.js";
import type { ModelRoute } from "../../resilience/model-route.js";
import type { JsonObject } from "../../values/json.js";
import { wireSchema } from "./wire-schema.js";

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
