import { strictObject } from "../../schema-parts/strict-object.js";
import { preview } from "../../values/preview.js";
import { describePlace } from "../text/describe-place.js";
import { defineTextCheck } from "../text/read-output.js";
import { foldCase, ignoreCase, textList } from "../text/text-list.js";

export const notContains = defineTextCheck({
  type: "not_contains",
  summary: "The final answer contains neither the text nor any text of the list.",
  example: '{ type: not_contains, value: "I can not help" }',
  options: strictObject({
    value: textList("The text, or a list of texts that must all be absent."),
    ignore_case: ignoreCase,
  }),
  check({ value, ignore_case: ignores }, output) {
    const searched = foldCase(output, ignores);
    const found = value.filter((text) => searched.includes(foldCase(text, ignores)));
    const listed = (texts: readonly string[]): string => texts.map((text) => preview(text)).join(", ");
    const [first] = found;
    if (first === undefined) return { pass: true, score: 1, message: `The answer does not contain ${listed(value)}` };
    const at = searched.indexOf(foldCase(first, ignores));
    return {
      pass: false,
      score: (value.length - found.length) / value.length,
      message: `Expected the answer not to contain ${listed(found)}, but it says ${describePlace(output, at, first.length)}`,
      expected: `nothing of ${listed(value)}`,
      actual: output,
    };
  },
});
