import { preview } from "../../values/preview.js";
import { findKeywords, keywordOptions, listKeywords } from "../text/find-keywords.js";
import { defineTextCheck } from "../text/read-output.js";

export const keywordsAbsent = defineTextCheck({
  type: "keywords_absent",
  summary: "The keywords do not occur in the final answer as whole words, in any case.",
  example: "{ type: keywords_absent, value: [guarantee, lawsuit] }",
  options: keywordOptions(
    "The keywords; one may be several words.",
    "Whether all of the keywords must be absent, or any one of them. Default all.",
  ),
  isNegative: true,
  check({ value, require }, output, isNegative) {
    const found = findKeywords(output, value, isNegative);
    const absent = value.filter((word) => !found.includes(word));
    const pass = require === "all" ? found.length === 0 : absent.length > 0;
    if (pass) {
      return {
        pass,
        score: 1,
        message: `The answer does not have the keyword${absent.length === 1 ? "" : "s"} ${listKeywords(absent)}`,
      };
    }
    const wanted = require === "all" ? "not to have" : "to lack one of";
    return {
      pass,
      score: absent.length / value.length,
      message: `Expected the answer ${wanted} the keyword${found.length === 1 ? "" : "s"} ${listKeywords(found)}, but it is ${preview(output)}`,
      expected: `none of ${listKeywords(value)}`,
      actual: output,
    };
  },
});
