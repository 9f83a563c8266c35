import type { FinishReason, ProviderResponse } from "./provider.js";

/**
 * The reason why a model stopped. `names` has the provider's words for the reasons; any other is `other`. Tool calls
 * count more than what a server calls the end: several end with the same word whether there are calls or not.
 */
export function toFinishReason(
  names: Readonly<Record<string, FinishReason>>,
  value: unknown,
  hasCalls: boolean,
): ProviderResponse["finishReason"] {
  const raw = typeof value === "string" && value !== "" ? value : null;
  const unified = raw !== null && Object.hasOwn(names, raw) ? (names[raw] ?? "other") : "other";
  return { unified: hasCalls && (unified === "stop" || raw === null) ? "tool_calls" : unified, raw };
}
