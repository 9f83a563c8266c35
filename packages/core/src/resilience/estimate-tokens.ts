import type { ProviderRequest } from "../providers/provider.js";

/** Rough for English text, and the rule of thumb that providers themselves give. */
export const charactersPerToken = 4;

/** Where the request sets no bound; most answers of agents are shorter. */
const usualAnswer = 256;

/** About how many tokens a request will use, input and output, to be corrected by what the provider counts. */
export function estimateTokens({ system, messages, tools, params, native }: ProviderRequest): number {
  let characters = (system ?? "").length + (native?.body.length ?? 0);
  for (const message of messages) characters += JSON.stringify(message).length;
  for (const tool of tools) characters += JSON.stringify(tool).length;
  return Math.ceil(characters / charactersPerToken) + (params.max_tokens ?? usualAnswer);
}
