import { isRecord } from "../../values/json.js";
import type { ModelParams } from "../provider.js";
import type { Wire } from "../wire-format.js";

/** Models up to Gemini 2.5 take a budget of tokens for their thoughts; later ones know levels instead. */
const budgetModels = /-[12]\.\d/;

/** What Google's own OpenAI-compatible API makes of `reasoning_effort` for these models, in tokens. */
const thinkingBudgets: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
};

/**
 * `generationConfig` of a request; null when there is nothing to say. What `extra_body` puts into it wins over the
 * params key by key, since almost every parameter of this API lives in there.
 */
export function generationConfigOf(params: ModelParams, model: string): Wire | null {
  const extra = params.extra_body?.["generationConfig"];
  if (extra !== undefined && !isRecord(extra)) return null;
  const config: Wire = {};
  if (params.temperature !== undefined) config["temperature"] = params.temperature;
  if (params.top_p !== undefined) config["topP"] = params.top_p;
  if (params.max_tokens !== undefined) config["maxOutputTokens"] = params.max_tokens;
  if (params.seed !== undefined) config["seed"] = params.seed;
  if (params.stop !== undefined) config["stopSequences"] = [...params.stop];
  if (params.frequency_penalty !== undefined) config["frequencyPenalty"] = params.frequency_penalty;
  if (params.presence_penalty !== undefined) config["presencePenalty"] = params.presence_penalty;
  if (params.reasoning_effort !== undefined) config["thinkingConfig"] = thinkingOf(params.reasoning_effort, model);
  const format = params.response_format;
  if (format !== undefined) config["responseMimeType"] = "application/json";
  if (typeof format === "object") config["responseJsonSchema"] = format.schema;
  if (extra !== undefined) Object.assign(config, extra);
  return Object.keys(config).length === 0 ? null : config;
}

/** A level that the model does not have is sent all the same: the API says then which it has. */
function thinkingOf(effort: string, model: string): Wire {
  const isKnown = budgetModels.test(model) && Object.hasOwn(thinkingBudgets, effort);
  return isKnown ? { thinkingBudget: thinkingBudgets[effort] } : { thinkingLevel: effort.toUpperCase() };
}
