import { strictObject } from "../../schema-parts/strict-object.js";
import { preview } from "../../values/preview.js";
import { defineTextCheck } from "../text/read-output.js";
import { ignoreCase, textList } from "../text/text-list.js";
import { createTextSearch } from "../text/text-search.js";

export const notContains = defineTextCheck({
  type: "not_contains",
  summary: "The final answer contains neither the text nor any text of the list.",
  example: '{ type: not_contains, value: "I cannot help" }',
  options: strictObject({
    value: textList("A string, or a list of strings that must all be absent."),
    ignore_case: ignoreCase,
  }),
  isNegative: true,
  check({ value, ignore_case: ignores }, output, isNegative) {
    const search = createTextSearch(output, { ignoreCase: ignores, isNegative });
    const found = value.flatMap((text) => {
      const place = search.find(text, "anywhere");
      return place === null ? [] : [{ text, place }];
    });
    const listed = (texts: readonly string[]): string => texts.map((text) => preview(text)).join(", ");
    const [first] = found;
    if (first === undefined) return { pass: true, score: 1, message: `The answer does not contain ${listed(value)}` };
    return {
      pass: false,
      score: (value.length - found.length) / value.length,
      message: `Expected the answer not to contain ${listed(found.map(({ text }) => text))}, but it says ${describePlace(output, first.place.index, first.place.length)}`,
      expected: `nothing of ${listed(value)}`,
      actual: output,
    };
  },
});

const around = 30;

/** Quotes a piece of a string with some of its surroundings. */
function describePlace(text: string, index: number, length: number): string {
  const start = Math.max(0, index - around);
  const end = Math.min(text.length, index + length + around);
  const piece = `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
  return preview(piece, length + 2 * around + 12);
}
