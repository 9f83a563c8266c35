import { record } from "../shape/record.js";
import { count } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";

/** Token counts. Cached and reasoning tokens are already part of input and output. */
export const usageShape = record(
  { inputTokens: count, outputTokens: count },
  { cachedInputTokens: count, reasoningTokens: count },
);
export type Usage = Static<typeof usageShape>;

export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens };
  const cached = (a.cachedInputTokens ?? 0) + (b.cachedInputTokens ?? 0);
  const reasoning = (a.reasoningTokens ?? 0) + (b.reasoningTokens ?? 0);
  if (cached > 0) sum.cachedInputTokens = cached;
  if (reasoning > 0) sum.reasoningTokens = reasoning;
  return sum;
}
