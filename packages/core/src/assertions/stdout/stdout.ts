import { matcherSchema } from "../../matchers/matcher-schema.js";
import { success } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { preview } from "../../values/preview.js";
import { missingField } from "../assertion-failure.js";
import { defineAssertion } from "../define-assertion.js";

export const stdout = defineAssertion({
  type: "stdout",
  summary:
    "What the program under test wrote to stdout for its last answer matches, whitespace included (command targets with `protocol: plain`).",
  example: "{ type: stdout, value: { $contains: done } }",
  kind: "deterministic",
  options: strictObject({
    value: matcherSchema.describe(
      "The output must match this, such as { $ends_with: '}' }; a string is the whole output.",
    ),
  }),
  evaluate({ value }, trial) {
    const actual = trial.stdout;
    if (actual === undefined) return missingField("stdout", "stdout");
    if (value.match(actual).pass)
      return success({ pass: true, score: 1, message: `stdout matches ${value.describe()}` });
    const message = `Expected stdout to match ${value.describe()}, but it is ${preview(actual)}`;
    return success({ pass: false, score: 0, message, expected: value.source, actual });
  },
});
