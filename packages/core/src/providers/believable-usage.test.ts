import { expect, it } from "vitest";
import { believableUsage } from "./believable-usage.js";

const usage = { inputTokens: 10, outputTokens: 5 };

it.each([usage, { ...usage, cachedInputTokens: 10, reasoningTokens: 7 }, { inputTokens: 0, outputTokens: 0 }])(
  "takes %j as it is",
  (one) => {
    expect(believableUsage(one)).toBe(one);
  },
);

it.each([
  null,
  { ...usage, inputTokens: -1 },
  { ...usage, outputTokens: 0.5 },
  { ...usage, outputTokens: Number.NaN },
  { ...usage, inputTokens: Number.POSITIVE_INFINITY },
  { ...usage, inputTokens: 1e12 },
  { ...usage, cachedInputTokens: 11 },
  { ...usage, cachedInputTokens: -1 },
  { ...usage, reasoningTokens: -5 },
])("takes %j for unknown", (one) => {
  expect(believableUsage(one)).toBeNull();
});
