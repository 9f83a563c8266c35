/** Prices in US dollars per million tokens. */
export interface Pricing {
  input: number;
  output: number;
  /** Of input tokens served from the provider's cache; `input` when absent. */
  cachedInput?: number;
}
