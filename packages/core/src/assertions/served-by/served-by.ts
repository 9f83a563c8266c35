import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { preview } from "../../values/preview.js";
import { missingField } from "../assertion-failure.js";
import { defineAssertion } from "../define-assertion.js";

export const servedBy = defineAssertion({
  type: "served_by",
  summary: "Every turn was answered by this model, so no fallback and no other version answered.",
  example: "{ type: served_by, value: gpt-4.1-mini-2025-04-14 }",
  kind: "deterministic",
  options: strictObject({
    value: z.string().min(1).describe("Name of the model, as its provider reports it in the answer."),
  }),
  evaluate({ value }, trial) {
    const names = trial.servedBy;
    if (names === undefined) return missingField("served_by", "servedBy");
    const other = names.find((name) => name !== value);
    if (other === undefined) {
      return success({ pass: true, score: 1, message: `Every answer is by ${preview(value)}` });
    }
    const message = `Expected every answer to be by ${preview(value)}, but one is by ${preview(other)}`;
    return success({ pass: false, score: 0, message, expected: value, actual: [...names] });
  },
});
