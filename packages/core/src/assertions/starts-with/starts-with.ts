import { strictObject } from "../../schema-parts/strict-object.js";
import { preview } from "../../values/preview.js";
import { defineTextCheck } from "../text/read-output.js";
import { ignoreCase, textList } from "../text/text-list.js";
import { createTextSearch } from "../text/text-search.js";

export const startsWith = defineTextCheck({
  type: "starts_with",
  summary: "The final answer starts with the text, or with every text of the list.",
  example: '{ type: starts_with, value: "Dear" }',
  options: strictObject({
    value: textList("A string, or a list of strings that the answer must all start with."),
    ignore_case: ignoreCase,
  }),
  check({ value, ignore_case: ignores }, output, isNegative) {
    const search = createTextSearch(output, { ignoreCase: ignores, isNegative });
    const missing = value.filter((text) => search.find(text, "start") === null);
    const [first] = missing;
    if (first === undefined) {
      return {
        pass: true,
        score: 1,
        message: `The answer starts with ${value.map((text) => preview(text)).join(", ")}`,
      };
    }
    const shown = first.length + 20;
    const start = output.length > shown ? `${output.slice(0, shown)}…` : output;
    const begins = output === "" ? "it is empty" : `it starts with ${preview(start)}`;
    return {
      pass: false,
      score: (value.length - missing.length) / value.length,
      message: `Expected the answer to start with ${preview(first)}, but ${begins}`,
      expected: value.length === 1 ? first : value,
      actual: output,
    };
  },
});
