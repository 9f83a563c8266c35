import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { costUsd } from "./pricing.js";
import { findPricing } from "./find-pricing.js";
import { priceTable } from "./price-table.js";

describe("findPricing", () => {
  it.each([
    ["openai", "gpt-4.1-mini", 0.4],
    ["openai", "gpt-4.1-mini-2025-04-14", 0.4],
    ["openai", "gpt-4.1", 2],
    ["openai", "chatgpt-4o-latest", 5],
    ["azure", "gpt-4.1-mini", 0.4],
    ["azure", "gpt-4o-2024-08-06", 2.5],
    ["anthropic", "claude-sonnet-4-5-20250929", 3],
    ["anthropic", "claude-haiku-4-5-latest", 1],
    ["gemini", "gemini-2.5-flash", 0.3],
    ["gemini", "gemini-2.5-flash-001", 0.3],
    ["gemini", "models/gemini-2.5-flash-lite", 0.1],
    ["mistral", "mistral-large-2512", 0.5],
    ["cohere", "command-r7b-12-2024", 0.0375],
    ["bedrock", "global.anthropic.claude-sonnet-4-5-20250929-v1:0", 3],
    ["bedrock", "global.anthropic.claude-opus-5-5", 4],
    ["bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", 3.3],
    ["bedrock", "eu.anthropic.claude-opus-4-6-v1", 5.5],
    ["bedrock", "anthropic.claude-haiku-4-5-20251001-v1:0", 1.1],
    ["bedrock", "amazon.nova-lite-v1:0", 0.06],
    ["bedrock", "us.amazon.nova-pro-v1:0", 0.8],
    ["bedrock", "global.amazon.nova-2-lite-v1:0", 0.3],
    ["bedrock", "eu.amazon.nova-2-lite-v1:0", 0.33],
    ["scripted", "anything", 0],
  ])("%s %s", (type, model, input) => {
    expect(findPricing(type, model)?.input).toBe(input);
  });

  it.each([
    ["openai", "gpt-4o-audio-preview"],
    ["openai", "gpt-4.1-mini-tuned"],
    ["openai", "gpt-4.1-mini-latest"],
    ["openai", "ft:gpt-4.1-mini:shop::1"],
    ["openai", "openai/gpt-4.1-mini"],
    ["openai", "constructor"],
    ["openai", "claude-haiku-4-5"],
    ["azure", "our-deployment"],
    ["gemini", "gemini-flash-latest"],
    ["gemini", "gemini-2.5-flash-image"],
    ["gemini", "gemini-2.5-flash-preview-09-2025"],
    ["mistral", "mistral-large-latest"],
    ["mistral", "open-mistral-nemo"],
    ["cohere", "command-a"],
    ["ollama", "llama3.2"],
    ["ollama", "gpt-4.1-mini"],
    ["bedrock", "claude-sonnet-4-5"],
    ["bedrock", "us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0"],
    ["bedrock", "anthropic.claude-3-haiku-20240307-v1:0"],
    ["bedrock", "eu.amazon.nova-lite-v1:0"],
    ["bedrock", "global.amazon.nova-lite-v1:0"],
    ["bedrock", "amazon.nova-lite-v1:0:24k"],
    ["bedrock", "meta.llama3-3-70b-instruct-v1:0"],
    ["bedrock", "anthropic.gpt-4.1-mini"],
    ["constructor", "name"],
    ["nobody", "gpt-4.1"],
  ])("does not guess for %s %s", (type, model) => {
    expect(findPricing(type, model)).toBeNull();
  });

  it("keeps the decimals of a price that is multiplied", () => {
    expect(findPricing("bedrock", "us.anthropic.claude-haiku-5-5")).toEqual({
      input: 0.11,
      cachedInput: 0.011,
      output: 0.55,
    });
  });

  it("finds every price by the name that it stands under", () => {
    for (const [list, prices] of Object.entries(priceTable)) {
      if (list === "nova") continue;
      for (const [name, pricing] of Object.entries(prices)) expect(findPricing(list, name)).toBe(pricing);
    }
  });

  const types = ["openai", "azure", "anthropic", "gemini", "mistral", "cohere", "bedrock", "ollama", "nobody"];
  const names = Object.values(priceTable).flatMap((prices) => Object.keys(prices));
  /** A name that is known has one of the list's names in it; nothing is priced by what it merely starts with. */
  const isKnown = (model: string): boolean => names.some((name) => model.includes(name));

  it("invents no price for a name that holds none of the list", () => {
    const nearly = fc
      .tuple(fc.constantFrom(...names), fc.nat(), fc.constantFrom("x", "-", ".", "0", "", "/"))
      .map(([name, at, put]) => name.slice(0, at % name.length) + put + name.slice((at % name.length) + 1));
    const model = fc.oneof(fc.string(), nearly, fc.constantFrom(...Object.getOwnPropertyNames(Object.prototype)));
    fc.assert(
      fc.property(fc.constantFrom(...types), model, (type, text) => {
        fc.pre(!isKnown(text));
        expect(findPricing(type, text)).toBeNull();
      }),
    );
  });

  it("takes a longer name for another model, unless what is added is a version", () => {
    const added = fc.stringMatching(/^[-:][a-z]{2,12}$/).filter((text) => text !== "-latest");
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.constantFrom(...names), added, (type, name, suffix) => {
        fc.pre(!names.includes(name + suffix));
        expect(findPricing(type, name + suffix)).toBeNull();
      }),
    );
  });

  it("has prices that make sense: cached input is cheaper than input, and output not cheaper", () => {
    for (const prices of Object.values(priceTable)) {
      for (const [name, { input, cachedInput, output }] of Object.entries(prices)) {
        expect(input).toBeGreaterThan(0);
        if (cachedInput !== undefined) expect(cachedInput).toBeLessThan(input);
        if (name.includes("embedding")) expect(output).toBe(0);
        else expect(input).toBeLessThanOrEqual(output);
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
