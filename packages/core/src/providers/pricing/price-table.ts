import type { Pricing } from "./pricing.js";

/** The lists of prices; several types of provider may share one, see {@link findPricing}. */
export type PriceList = "openai" | "anthropic" | "gemini" | "mistral" | "cohere" | "nova";

/** The day on which the table was last gone through. */
export const pricesAsOf = "2026-11-21";

/**
 * List prices by model, US dollars per million tokens, for the standard tier, text, and prompts below the long-context
 * thresholds. Writing to a cache is counted as plain input. A model that is missing has no known price: `pricing:` of
 * the model in the config gives it one. docs/costs.md says where each list comes from, and of which day it is.
 */
export const priceTable: Readonly<Record<PriceList, Readonly<Record<string, Pricing>>>> = {
  /**
   * https://developers.openai.com/api/docs/pricing as published up to 2026-10-16. Without gpt-5.6-sol, whose price of
   * August was promised until 2026-11-21 only.
   */
  openai: {
    "gpt-6.1-sol": { input: 2, cachedInput: 0.1, output: 10 },
    "gpt-6-astra": { input: 10, cachedInput: 1, output: 50 },
    "gpt-6-sol": { input: 2, cachedInput: 0.2, output: 10 },
    "gpt-6-luna": { input: 0.1, cachedInput: 0.01, output: 0.5 },
    "gpt-5.6-terra": { input: 2, cachedInput: 0.2, output: 12 },
    "gpt-5.6-luna": { input: 0.2, cachedInput: 0.02, output: 1.2 },
    "gpt-5.5": { input: 5, cachedInput: 0.5, output: 30 },
    "gpt-5.4": { input: 2.5, cachedInput: 0.25, output: 15 },
    "gpt-5.4-mini": { input: 0.75, cachedInput: 0.075, output: 4.5 },
    "gpt-5.4-nano": { input: 0.2, cachedInput: 0.02, output: 1.25 },
    "gpt-5.3-codex": { input: 1.75, cachedInput: 0.175, output: 14 },
    "gpt-5.2": { input: 1.75, cachedInput: 0.175, output: 14 },
    "gpt-5.1": { input: 1.25, cachedInput: 0.125, output: 10 },
    "gpt-5": { input: 1.25, cachedInput: 0.125, output: 10 },
    "gpt-5-mini": { input: 0.25, cachedInput: 0.025, output: 2 },
    "gpt-5-nano": { input: 0.05, cachedInput: 0.005, output: 0.4 },
    "gpt-4.1": { input: 2, cachedInput: 0.5, output: 8 },
    "gpt-4.1-mini": { input: 0.4, cachedInput: 0.1, output: 1.6 },
    "gpt-4.1-nano": { input: 0.1, cachedInput: 0.025, output: 0.4 },
    "gpt-4o": { input: 2.5, cachedInput: 1.25, output: 10 },
    "gpt-4o-mini": { input: 0.15, cachedInput: 0.075, output: 0.6 },
    // Not the price of gpt-4o, and nothing is taken off for cached input.
    "chatgpt-4o-latest": { input: 5, output: 15 },
    o3: { input: 2, cachedInput: 0.5, output: 8 },
    "o3-mini": { input: 1.1, cachedInput: 0.55, output: 4.4 },
    "o4-mini": { input: 1.1, cachedInput: 0.275, output: 4.4 },
    o1: { input: 15, cachedInput: 7.5, output: 60 },
    // Embeddings have no output. https://developers.openai.com/api/docs/models/text-embedding-3-large
    "text-embedding-3-large": { input: 0.13, output: 0 },
    "text-embedding-3-small": { input: 0.02, output: 0 },
  },
  /** https://platform.claude.com/docs/en/about-claude/pricing as published up to 2026-10-24. */
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
  /**
   * https://ai.google.dev/gemini-api/docs/pricing as published up to 2026-10-07. The prices of 3.6 to 3.8 Flash hold
   * until 2026-12-31 and double then.
   */
  gemini: {
    "gemini-3.8-flash": { input: 0.75, cachedInput: 0.075, output: 3.75 },
    "gemini-3.7-flash": { input: 0.75, cachedInput: 0.075, output: 3.75 },
    "gemini-3.6-flash": { input: 0.75, cachedInput: 0.075, output: 3.75 },
    "gemini-3.5-flash": { input: 1.5, cachedInput: 0.15, output: 9 },
    "gemini-3.5-flash-lite": { input: 0.3, cachedInput: 0.03, output: 2.5 },
    "gemini-3.1-pro-preview": { input: 2, cachedInput: 0.2, output: 12 },
    "gemini-3.1-flash-lite": { input: 0.25, cachedInput: 0.025, output: 1.5 },
    "gemini-3-flash-preview": { input: 0.5, cachedInput: 0.05, output: 3 },
    "gemini-2.5-pro": { input: 1.25, cachedInput: 0.125, output: 10 },
    "gemini-2.5-flash": { input: 0.3, cachedInput: 0.03, output: 2.5 },
    "gemini-2.5-flash-lite": { input: 0.1, cachedInput: 0.01, output: 0.4 },
  },
  /** https://mistral.ai/pricing as published up to 2026-07-01. Names with a date alone: `-latest` moves between prices. */
  mistral: {
    "mistral-large-2512": { input: 0.5, cachedInput: 0.05, output: 1.5 },
    "mistral-large-2411": { input: 2, output: 6 },
    "mistral-medium-2604": { input: 1.5, output: 7.5 },
    "mistral-medium-2508": { input: 0.4, output: 2 },
    "mistral-medium-2505": { input: 0.4, output: 2 },
    "mistral-small-2603": { input: 0.15, cachedInput: 0.015, output: 0.6 },
    "mistral-small-2506": { input: 0.1, output: 0.3 },
    "ministral-14b-2512": { input: 0.2, cachedInput: 0.02, output: 0.2 },
    "ministral-8b-2512": { input: 0.15, output: 0.15 },
    "ministral-3b-2512": { input: 0.1, cachedInput: 0.01, output: 0.1 },
    "magistral-medium-2509": { input: 2, output: 5 },
    "magistral-small-2509": { input: 0.5, output: 1.5 },
    "codestral-2508": { input: 0.3, cachedInput: 0.03, output: 0.9 },
    "devstral-2512": { input: 0.4, cachedInput: 0.04, output: 2 },
  },
  /** https://cohere.com/pricing as published up to 2026-11-11; Command A and R+ as listed there for existing customers. */
  cohere: {
    "command-a-03-2025": { input: 2.5, output: 10 },
    "command-r-plus-08-2024": { input: 2.5, output: 10 },
    "command-r-08-2024": { input: 0.15, output: 0.6 },
    "command-r7b-12-2024": { input: 0.0375, output: 0.15 },
  },
  /** https://aws.amazon.com/bedrock/pricing as published up to 2026-06-11: US regions; Nova 2 in its global profile. */
  nova: {
    "nova-2-lite": { input: 0.3, cachedInput: 0.075, output: 2.5 },
    "nova-premier": { input: 2.5, cachedInput: 0.625, output: 12.5 },
    "nova-pro": { input: 0.8, cachedInput: 0.2, output: 3.2 },
    "nova-lite": { input: 0.06, cachedInput: 0.015, output: 0.24 },
    "nova-micro": { input: 0.035, cachedInput: 0.00875, output: 0.14 },
  },
};
