import type { Pricing } from "./pricing.js";

/**
 * List prices by provider type and model, US dollars per million tokens, for the standard tier and prompts below the
 * long-context thresholds (272,000 tokens for GPT-6, 100,000 for Claude Haiku 5.5). Writing to a cache is counted as
 * plain input. As of 2026-11-21, from https://developers.openai.com/api/docs/pricing and
 * https://platform.claude.com/docs/en/about-claude/pricing. A model that is missing has no known cost:
 * `pricing:` of the model in the config gives it one.
 */
export const priceTable: Readonly<Record<string, Readonly<Record<string, Pricing>>>> = {
  openai: {
    "gpt-6.1-sol": { input: 2, cachedInput: 0.1, output: 10 },
    "gpt-6-astra": { input: 10, cachedInput: 1, output: 50 },
    "gpt-6-sol": { input: 2, cachedInput: 0.2, output: 10 },
    "gpt-6-luna": { input: 0.1, cachedInput: 0.01, output: 0.5 },
    "gpt-5": { input: 1.25, cachedInput: 0.125, output: 10 },
    "gpt-5-mini": { input: 0.25, cachedInput: 0.025, output: 2 },
    "gpt-5-nano": { input: 0.05, cachedInput: 0.005, output: 0.4 },
    "gpt-4.1": { input: 2, cachedInput: 0.5, output: 8 },
    "gpt-4.1-mini": { input: 0.4, cachedInput: 0.1, output: 1.6 },
    "gpt-4.1-nano": { input: 0.1, cachedInput: 0.025, output: 0.4 },
    "gpt-4o": { input: 2.5, cachedInput: 1.25, output: 10 },
    "gpt-4o-mini": { input: 0.15, cachedInput: 0.075, output: 0.6 },
  },
  anthropic: {
    "claude-fable-5-1": { input: 10, cachedInput: 0.25, output: 50 },
    "claude-fable-5": { input: 10, cachedInput: 1, output: 50 },
    "claude-opus-5-5": { input: 4, cachedInput: 0.2, output: 20 },
    "claude-opus-5": { input: 5, cachedInput: 0.5, output: 25 },
    "claude-opus-4-8": { input: 5, cachedInput: 0.5, output: 25 },
    "claude-opus-4-7": { input: 5, cachedInput: 0.5, output: 25 },
    "claude-opus-4-6": { input: 5, cachedInput: 0.5, output: 25 },
    "claude-opus-4-5": { input: 5, cachedInput: 0.5, output: 25 },
    "claude-sonnet-5-5": { input: 2, cachedInput: 0.1, output: 10 },
    "claude-sonnet-5": { input: 2, cachedInput: 0.2, output: 10 },
    "claude-sonnet-4-6": { input: 3, cachedInput: 0.3, output: 15 },
    "claude-sonnet-4-5": { input: 3, cachedInput: 0.3, output: 15 },
    "claude-haiku-5-5": { input: 0.1, cachedInput: 0.01, output: 0.5 },
    "claude-haiku-4-5": { input: 1, cachedInput: 0.1, output: 5 },
  },
};
