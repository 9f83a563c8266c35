import type { Usage } from "../../transcript/usage.js";
import type { JsonObject } from "../../values/json.js";

export function reportedUsage(usage: Usage): JsonObject {
  const reported: JsonObject = { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens };
  if (usage.cachedInputTokens !== undefined) reported["cachedInputTokens"] = usage.cachedInputTokens;
  if (usage.reasoningTokens !== undefined) reported["reasoningTokens"] = usage.reasoningTokens;
  return reported;
}
