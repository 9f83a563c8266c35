import { strictObject } from "../../schema-parts/strict-object.js";
import { preview } from "../../values/preview.js";
import { describeNearest } from "../text/nearest-part.js";
import { defineTextCheck } from "../text/read-output.js";
import { ignoreCase, textList } from "../text/text-list.js";
import { createTextSearch } from "../text/text-search.js";

export const contains = defineTextCheck({
  type: "contains",
  summary: "The final answer contains the text, or every text of the list.",
  example: '{ type: contains, value: "delivered" }',
  options: strictObject({
    value: textList("A string, or a list of strings that must all occur."),
    ignore_case: ignoreCase,
  }),
  check({ value, ignore_case: ignores }, output, isNegative) {
    const search = createTextSearch(output, { ignoreCase: ignores, isNegative });
    const missing = value.filter((text) => search.find(text, "anywhere") === null);
    const [first] = missing;
    if (first === undefined) {
      return { pass: true, score: 1, message: `The answer contains ${value.map((text) => preview(text)).join(", ")}` };
    }
    return {
      pass: false,
      score: (value.length - missing.length) / value.length,
      message: `Expected the answer to contain ${missing.map((text) => preview(text)).join(", ")}, ${describeNearest(output, first)}`,
      expected: value.length === 1 ? first : value,
      actual: output,
    };
  },
});
