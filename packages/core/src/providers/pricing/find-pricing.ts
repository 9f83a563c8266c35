import type { Pricing } from "./pricing.js";
import { priceTable, type PriceList } from "./price-table.js";

/** One way in which a type of provider names models of a price list. */
interface NamingRule {
  list: PriceList;
  /** Fits the whole name of a model; the group `name` is what the list calls it. */
  pattern: RegExp;
  /** By how much the list's price is multiplied; 1 when absent. */
  factor?: number;
}

const openaiNames: NamingRule = { list: "openai", pattern: /^(?<name>.+?)(?:-\d{4}-\d{2}-\d{2})?$/ };

/**
 * Bedrock takes 10% more than Anthropic's and its own list price for a model that stays in a region or a group of
 * regions; only `global.` costs what the list says (since Claude 4.5 and Nova 2). The older Nova models have a price of
 * their own for each region, and the list has the American one.
 */
const regionalFactor = 1.1;

/** A type that is missing here has no list, such as ollama: a model of one's own has no price per token. */
const namingRules: Readonly<Record<string, readonly NamingRule[]>> = {
  openai: [openaiNames],
  // Deployments have names of the user's own; one that is called like a model is taken for that model.
  azure: [openaiNames],
  anthropic: [{ list: "anthropic", pattern: /^(?<name>.+?)(?:-\d{8}|-latest)?$/ }],
  gemini: [{ list: "gemini", pattern: /^(?:models\/)?(?<name>.+?)(?:-\d{3})?$/ }],
  mistral: [{ list: "mistral", pattern: /^(?<name>.+)$/ }],
  cohere: [{ list: "cohere", pattern: /^(?<name>.+)$/ }],
  bedrock: [
    { list: "anthropic", pattern: /^global\.anthropic\.(?<name>.+?)(?:-\d{8})?(?:-v\d+(?::\d+)?)?$/ },
    {
      list: "anthropic",
      pattern: /^(?:(?:us|eu|apac|jp|au)\.)?anthropic\.(?<name>.+?)(?:-\d{8})?(?:-v\d+(?::\d+)?)?$/,
      factor: regionalFactor,
    },
    { list: "nova", pattern: /^global\.amazon\.(?<name>nova-2-[a-z]+)-v\d+:\d+$/ },
    {
      list: "nova",
      pattern: /^(?:(?:us|eu|apac|jp|au)\.)?amazon\.(?<name>nova-2-[a-z]+)-v\d+:\d+$/,
      factor: regionalFactor,
    },
    { list: "nova", pattern: /^(?:us\.)?amazon\.(?<name>nova-[a-z]+)-v\d+:\d+$/ },
  ],
};

/**
 * The list price of a model, US dollars per million tokens; null when it is not known, which is shown as unknown and
 * never taken for nothing. A scripted model makes no request, so it costs nothing unless the config gives it a
 * `pricing:`.
 */
export function findPricing(providerType: string, model: string): Pricing | null {
  if (providerType === "scripted") return { input: 0, output: 0 };
  const rules = Object.hasOwn(namingRules, providerType) ? (namingRules[providerType] ?? []) : [];
  for (const { list, pattern, factor = 1 } of rules) {
    const name = pattern.exec(model)?.groups?.["name"] ?? "";
    const price = Object.hasOwn(priceTable[list], name) ? priceTable[list][name] : undefined;
    if (price !== undefined) return factor === 1 ? price : multiplied(price, factor);
  }
  return null;
}

function multiplied({ input, cachedInput, output }: Pricing, factor: number): Pricing {
  // Prices have few decimals; what floating point adds behind them is cut off.
  const times = (price: number): number => Number((price * factor).toPrecision(9));
  const pricing: Pricing = { input: times(input), output: times(output) };
  if (cachedInput !== undefined) pricing.cachedInput = times(cachedInput);
  return pricing;
}
