import { strictObject } from "../../schema-parts/strict-object.js";
import { preview } from "../../values/preview.js";
import { defineTextCheck } from "../text/read-output.js";
import { foldCase, ignoreCase, textList } from "../text/text-list.js";
import { createTextSearch } from "../text/text-search.js";

export const equals = defineTextCheck({
  type: "equals",
  summary: "The final answer is exactly the text.",
  example: '{ type: equals, value: "42" }',
  options: strictObject({
    value: textList("The whole answer. A list requires all of its strings, so they must be the same.", {
      allowEmpty: true,
    }),
    ignore_case: ignoreCase,
  }).refine(({ value, ignore_case: ignores }) => new Set(value.map((text) => foldCase(text, ignores))).size === 1, {
    path: ["value"],
    error: 'An answer cannot equal several different strings\nUse any_of with one "equals" each',
  }),
  check({ value: [wanted = ""], ignore_case: ignores }, output, isNegative) {
    const search = createTextSearch(output, { ignoreCase: ignores, isNegative });
    if (search.find(wanted, "whole") !== null) {
      return { pass: true, score: 1, message: `The answer is ${preview(wanted)}` };
    }
    return {
      pass: false,
      score: 0,
      message: `Expected the answer to be ${preview(wanted)}, but it ${describeDifference(output, wanted)}`,
      expected: wanted,
      actual: output,
    };
  },
});

function describeDifference(output: string, wanted: string): string {
  if (output === "") return "is empty";
  if (output.trim() === wanted.trim()) return `differs in space around it: ${preview(output)}`;
  if (output.toLowerCase() === wanted.toLowerCase()) return `differs in upper and lower case: ${preview(output)}`;
  const at = firstDifference(output, wanted);
  if (at < 40) return `is ${preview(output)}`;
  return `differs from character ${at + 1} on: ${preview(output.slice(at - 20))}`;
}

function firstDifference(a: string, b: string): number {
  let index = 0;
  while (index < a.length && index < b.length && a[index] === b[index]) index += 1;
  return index;
}
