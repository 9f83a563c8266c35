import { describeNearest } from "../text/nearest-part.js";
import { findKeywords, keywordOptions, listKeywords } from "../text/find-keywords.js";
import { defineTextCheck } from "../text/read-output.js";

export const keywordsPresent = defineTextCheck({
  type: "keywords_present",
  summary: "The keywords occur in the final answer as whole words, in any case.",
  example: "{ type: keywords_present, value: [refund, five days] }",
  options: keywordOptions(
    "The keywords; one may be several words.",
    "Whether all of the keywords must be there, or any one of them. Default all.",
  ),
  check({ value, require }, output, isNegative) {
    const found = findKeywords(output, value, isNegative);
    const missing = value.filter((word) => !found.includes(word));
    const pass = require === "all" ? missing.length === 0 : found.length > 0;
    if (pass) {
      return {
        pass,
        score: 1,
        message: `The answer has the keyword${found.length === 1 ? "" : "s"} ${listKeywords(found)}`,
      };
    }
    const wanted = require === "all" ? "" : "any of ";
    const nearest = describeNearest(output, missing[0] ?? "");
    return {
      pass,
      score: found.length / value.length,
      message: `Expected the answer to have ${wanted}the keyword${missing.length === 1 ? "" : "s"} ${listKeywords(missing)}, ${nearest}`,
      expected: value,
      actual: output,
    };
  },
});
