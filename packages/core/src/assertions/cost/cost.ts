import * as z from "../../values/deferred-zod.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { success } from "../../result.js";
import { evalError, missingField } from "../assertion-failure.js";
import { defineAssertion } from "../define-assertion.js";
import { boundKeys, requireBounds } from "../limits/bounded-options.js";
import { decideBounds } from "../limits/bounds.js";

export const cost = defineAssertion({
  type: "cost",
  summary: "What the trial cost, in US dollars, is within bounds. An unknown price is an error, not a pass.",
  example: "{ type: cost, max: 0.02 }",
  kind: "deterministic",
  options: requireBounds(strictObject({ ...boundKeys(z.number().nonnegative(), "the cost in US dollars") })),
  evaluate(bounds, trial) {
    if (trial.costUsd === undefined) return missingField("cost", "costUsd");
    if (trial.costUsd === null) {
      return evalError("cost", "The cost is unknown, because a model has no price; set its price under `pricing`");
    }
    return success(decideBounds("cost", trial.costUsd, bounds, renderUsd));
  },
});

/** Four significant digits below a dollar, where a fixed number of decimals would round to nothing. */
function renderUsd(value: number): string {
  if (value === 0 || value >= 1) return `$${value.toFixed(2)}`;
  const decimals = Math.min(12, Math.max(2, 3 - Math.floor(Math.log10(value))));
  return `$${value.toFixed(decimals).replace(/(\.\d\d\d*?)0+$/, "$1")}`;
}
