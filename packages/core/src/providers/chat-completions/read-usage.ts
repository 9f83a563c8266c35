import type { Usage } from "../../transcript/usage.js";
import { isRecord } from "../../values/json.js";

/**
 * Reads the token counts of a reply; null when it has none. The two APIs of OpenAI name them differently, and put the
 * details under the same name with `_details` behind it.
 */
export function readUsage(value: unknown, inputName: string, outputName: string): Usage | null {
  if (!isRecord(value)) return null;
  const inputTokens = countOf(value[inputName]);
  const outputTokens = countOf(value[outputName]);
  if (inputTokens === null || outputTokens === null) return null;
  const usage: Usage = { inputTokens, outputTokens };
  const cached = detailOf(value[`${inputName}_details`], "cached_tokens");
  const reasoning = detailOf(value[`${outputName}_details`], "reasoning_tokens");
  if (cached !== null) usage.cachedInputTokens = cached;
  if (reasoning !== null) usage.reasoningTokens = reasoning;
  return usage;
}

function detailOf(value: unknown, key: string): number | null {
  return isRecord(value) ? countOf(value[key]) : null;
}

function countOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
