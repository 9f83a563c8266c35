import * as z from "../../values/deferred-zod.js";
import { compileRegex } from "../../matchers/safe-regex.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { preview } from "../../values/preview.js";
import { defineTextCheck } from "../text/read-output.js";
import { shownForms } from "../text/shown-forms.js";

export const matches = defineTextCheck({
  type: "matches",
  summary: "The regular expression is found in the final answer.",
  example: '{ type: matches, value: "ORD-\\\\d+" }',
  options: strictObject({
    value: z.string().min(1).describe("A JavaScript regular expression; it may match anywhere, unless it has ^ and $."),
    flags: z.string().optional().describe("Flags of the regular expression, such as i or im."),
  }).transform(({ value, flags = "" }, context) => {
    const regex = compileRegex(value, flags);
    if (regex.success) return { source: `/${value}/${flags}`, regex: regex.data };
    context.addIssue({ code: "custom", path: ["value"], message: regex.error });
    return z.NEVER;
  }),
  check({ source, regex }, output, isNegative) {
    const isFound = regex.test(output) || (isNegative && shownForms(output, {}).some(({ text }) => regex.test(text)));
    if (isFound) return { pass: true, score: 1, message: `The answer matches ${source}` };
    const actual = output === "" ? "it is empty" : `it is ${preview(output)}`;
    const message = `Expected the answer to match ${source}, but ${actual}`;
    return { pass: false, score: 0, message, expected: source, actual: output };
  },
});
