import * as z from "../../values/deferred-zod.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { preview } from "../../values/preview.js";
import { missingField } from "../assertion-failure.js";
import { defineAssertion } from "../define-assertion.js";

export const finishReason = defineAssertion({
  type: "finish_reason",
  summary: "The model ended its last turn for this reason.",
  example: "{ type: finish_reason, value: stop }",
  kind: "deterministic",
  options: strictObject({
    value: z
      .string()
      .min(1)
      .describe("stop, tool_calls, length, content_filter, refusal or other, whatever the provider calls it."),
  }),
  evaluate({ value }, trial) {
    const actual = trial.finishReason;
    if (actual === undefined) return missingField("finish_reason", "finishReason");
    if (actual === value) return success({ pass: true, score: 1, message: `The finish reason is ${preview(value)}` });
    const message = `Expected the finish reason to be ${preview(value)}, but it is ${preview(actual)}`;
    return success({ pass: false, score: 0, message, expected: value, actual });
  },
});
