import * as z from "../../values/deferred-zod.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { boundKeys, requireBounds } from "../limits/bounded-options.js";
import { decideBounds } from "../limits/bounds.js";
import { defineTextCheck } from "../text/read-output.js";
import { countCharacters, countWords } from "./count-text.js";

export const length = defineTextCheck({
  type: "length",
  summary: "The length of the final answer, in characters as a reader counts them or in words, is within bounds.",
  example: "{ type: length, max: 80, unit: words }",
  options: requireBounds(
    strictObject({
      ...boundKeys(z.int().nonnegative(), "the length"),
      unit: z.enum(["characters", "words"]).default("characters").describe("What is counted. Default characters."),
    }),
  ),
  check({ unit, ...bounds }, output) {
    const count = unit === "words" ? countWords(output) : countCharacters(output);
    const singular = unit === "words" ? "word" : "character";
    return decideBounds("length of the answer", count, bounds, (value) => `${value} ${value === 1 ? singular : unit}`);
  },
});
