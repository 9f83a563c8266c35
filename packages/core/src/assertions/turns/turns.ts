import * as z from "../../values/deferred-zod.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { success } from "../../result.js";
import { missingField } from "../assertion-failure.js";
import { defineAssertion } from "../define-assertion.js";
import { boundKeys, requireBounds } from "../limits/bounded-options.js";
import { decideBounds } from "../limits/bounds.js";

export const turns = defineAssertion({
  type: "turns",
  summary: "The number of requests to the model is within bounds.",
  example: "{ type: turns, max: 3 }",
  kind: "deterministic",
  options: requireBounds(strictObject({ ...boundKeys(z.int().nonnegative(), "the number of turns") })),
  evaluate(bounds, trial) {
    if (trial.turns === undefined) return missingField("turns", "turns");
    return success(decideBounds("number of turns", trial.turns, bounds, String));
  },
});
