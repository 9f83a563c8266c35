import * as z from "../../values/deferred-zod.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { success } from "../../result.js";
import type { Usage } from "../../transcript/usage.js";
import { evalError, missingField } from "../assertion-failure.js";
import { defineAssertion } from "../define-assertion.js";
import { boundKeys, requireBounds } from "../limits/bounded-options.js";
import { decideBounds } from "../limits/bounds.js";

const counters = {
  input: (usage: Usage) => usage.inputTokens,
  output: (usage: Usage) => usage.outputTokens,
  total: (usage: Usage) => usage.inputTokens + usage.outputTokens,
};

export const tokens = defineAssertion({
  type: "tokens",
  summary: "The number of tokens that the trial used is within bounds.",
  example: "{ type: tokens, of: output, max: 500 }",
  kind: "deterministic",
  options: requireBounds(
    strictObject({
      ...boundKeys(z.int().nonnegative(), "the number of tokens"),
      of: z.enum(["input", "output", "total"]).default("total").describe("Which tokens count. Default total."),
    }),
  ),
  evaluate({ of, ...bounds }, trial) {
    if (trial.usage === undefined) return missingField("tokens", "usage");
    if (trial.usage === null) return evalError("tokens", "The provider did not report how many tokens were used");
    const name = of === "total" ? "number of tokens" : `number of ${of} tokens`;
    return success(decideBounds(name, counters[of](trial.usage), bounds, String));
  },
});
