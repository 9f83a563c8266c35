import * as z from "../../values/deferred-zod.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { textList } from "./text-list.js";

/** The options of the two keyword assertions. */
export function keywordOptions(valueDescription: string, requireDescription: string) {
  const value = textList(valueDescription).refine((words) => words.every((word) => word.trim() !== ""), {
    error: "A keyword must not be blank",
  });
  return strictObject({
    value: value.describe(valueDescription),
    require: z.enum(["all", "any"]).default("all").describe(requireDescription),
  });
}

export function listKeywords(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(", ");
}
