import { describe, expect, it } from "vitest";
import { costUsd } from "./cost-usd.js";
import { findPricing } from "./find-pricing.js";
import { priceTable } from "./price-table.js";

describe("findPricing", () => {
  it.each([
    ["openai", "gpt-4.1-mini", 0.4],
    ["openai", "gpt-4.1-mini-2025-04-14", 0.4],
    ["openai", "gpt-4.1", 2],
    ["anthropic", "claude-sonnet-4-5-20250929", 3],
    ["anthropic", "claude-haiku-4-5-latest", 1],
    ["scripted", "anything", 0],
  ])("%s %s", (type, model, input) => {
    expect(findPricing(type, model)?.input).toBe(input);
  });

  it.each([
    ["openai", "gpt-4o-audio-preview"],
    ["openai", "gpt-4.1-mini-tuned"],
    ["openai", "constructor"],
    ["openai", "claude-haiku-4-5"],
    ["constructor", "name"],
    ["nobody", "gpt-4.1"],
  ])("does not guess for %s %s", (type, model) => {
    expect(findPricing(type, model)).toBeNull();
  });

  it("has prices that make sense: cached input is cheaper than input, and output dearer", () => {
    for (const prices of Object.values(priceTable)) {
      for (const { input, cachedInput = input, output } of Object.values(prices)) {
        expect(cachedInput).toBeLessThan(input);
        expect(input).toBeLessThan(output);
      }
    }
  });
});

describe("costUsd", () => {
  const pricing = { input: 2, cachedInput: 0.5, output: 8 };

  it.each([
    [{ inputTokens: 1_000_000, outputTokens: 0 }, 2],
    [{ inputTokens: 0, outputTokens: 1_000_000 }, 8],
    [{ inputTokens: 1_000_000, outputTokens: 0, cachedInputTokens: 400_000 }, 1.4],
    [{ inputTokens: 1_000_000, outputTokens: 500_000, reasoningTokens: 400_000 }, 6],
    [{ inputTokens: 10, outputTokens: 0, cachedInputTokens: 1_000_000 }, 0.000_005],
    [{ inputTokens: 0, outputTokens: 0 }, 0],
  ])("%j costs %d", (usage, expected) => {
    expect(costUsd(usage, pricing)).toBeCloseTo(expected, 10);
  });

  it("counts cached tokens as input where they have no price of their own", () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 0, cachedInputTokens: 1_000_000 };
    expect(costUsd(usage, { input: 2, output: 8 })).toBe(2);
  });
});
