import type { Pricing } from "./pricing.js";
import { priceTable } from "./price-table.js";

/** `gpt-4.1-mini-2025-04-14`, `claude-sonnet-4-5-20250929` and `…-latest` cost what the name before the date does. */
const version = /-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/;

/**
 * The list price of a model; null when it is not known, which is shown as unknown and never taken for nothing.
 * A scripted model makes no request, so it costs nothing unless the config gives it a `pricing:`.
 */
export function findPricing(providerType: string, model: string): Pricing | null {
  if (providerType === "scripted") return { input: 0, output: 0 };
  const prices = Object.hasOwn(priceTable, providerType) ? priceTable[providerType] : undefined;
  if (prices === undefined) return null;
  return priceOf(prices, model) ?? priceOf(prices, model.replace(version, ""));
}

function priceOf(prices: Readonly<Record<string, Pricing>>, model: string): Pricing | null {
  return Object.hasOwn(prices, model) ? (prices[model] ?? null) : null;
}
