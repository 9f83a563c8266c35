import { success } from "../../result.js";
import { durationSchema } from "../../schema-parts/duration-schema.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { renderDuration } from "../../values/duration.js";
import { missingField } from "../assertion-failure.js";
import { defineAssertion } from "../define-assertion.js";
import { boundKeys, requireBounds } from "../limits/bounded-options.js";
import { decideBounds } from "../limits/bounds.js";

export const latency = defineAssertion({
  type: "latency",
  summary: "The time that the trial spent waiting for the provider is within bounds.",
  example: "{ type: latency, max: 5s }",
  kind: "deterministic",
  options: requireBounds(strictObject({ ...boundKeys(durationSchema, "the latency") })),
  evaluate(bounds, trial) {
    if (trial.latencyMs === undefined) return missingField("latency", "latencyMs");
    return success(decideBounds("latency", trial.latencyMs, bounds, renderDuration));
  },
});
