import type { Usage } from "../../transcript/usage.js";

const perMillion = 1_000_000;

/** Prices in US dollars per million tokens. */
export interface Pricing {
  input: number;
  output: number;
  /** Of input tokens served from the provider's cache; `input` when absent. */
  cachedInput?: number;
}

/**
 * What the tokens cost, in US dollars. Cached input tokens are part of the input tokens and have their own price;
 * reasoning tokens are part of the output tokens and cost the same.
 */
export function costUsd(usage: Usage, pricing: Pricing): number {
  const cached = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens);
  const input = (usage.inputTokens - cached) * pricing.input;
  const cachedInput = cached * (pricing.cachedInput ?? pricing.input);
  return (input + cachedInput + usage.outputTokens * pricing.output) / perMillion;
}
