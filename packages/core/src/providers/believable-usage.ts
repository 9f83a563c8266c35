import type { Usage } from "../transcript/usage.js";

/** Ten times what the largest model can read: no request comes near it. */
const mostTokens = 100_000_000;

/**
 * The usage that a server or an agent reported; null if no request can have it, since a cost or a limit that rests on
 * such a number would pass or fail by chance. Counts are whole, are not negative, and cached tokens are part of the input.
 */
export function believableUsage(usage: Usage | null): Usage | null {
  if (usage === null) return null;
  const { inputTokens, outputTokens, cachedInputTokens = 0, reasoningTokens = 0 } = usage;
  const counts = [inputTokens, outputTokens, cachedInputTokens, reasoningTokens];
  const areCounts = counts.every((count) => Number.isInteger(count) && count >= 0 && count <= mostTokens);
  return areCounts && cachedInputTokens <= inputTokens ? usage : null;
}
