import { described } from "../../shape/compound.js";
import { publishedAs } from "../../shape/field.js";
import { differenceInterval } from "../../shape/interval.js";
import { record } from "../../shape/record.js";
import { count, number, pValue, rateDifference, text } from "../../shape/scalars.js";
import type { Static } from "../../shape/shape.js";

/** Two models, or two prompts, on the cases that both have. */
export const variantDifferenceShape = record({
  /** Names of variants; positive differences are in favor of `to`. */
  from: text,
  to: text,
  cases: count,
  clusters: count,
  /** Mean of rate of `to` − rate of `from`. */
  mean: described("Rate of `to` − rate of `from`", publishedAs(number, rateDifference)),
  /** 95% interval of `mean`. */
  interval: differenceInterval,
  /** Two-sided, of the sign-flip test over clusters. */
  p: described("Two-sided, of the sign-flip test over clusters", pValue),
});
export type VariantDifference = Static<typeof variantDifferenceShape>;
