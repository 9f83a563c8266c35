import * as z from "../../values/deferred-zod.js";
import { matcherSchema } from "../../matchers/matcher-schema.js";
import type { Mismatch } from "../../matchers/matcher.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { preview, renderPath } from "../../values/preview.js";
import { defineTextCheck } from "../text/read-output.js";
import { parseAnswerJson, parseJsonPath, valueAt } from "../text/parse-answer-json.js";

const pathSchema = z.string().transform((text, context) => {
  const path = parseJsonPath(text);
  if (path.success) return path.data;
  context.addIssue({ code: "custom", message: path.error });
  return z.NEVER;
});

export const json = defineTextCheck({
  type: "json",
  summary: "The final answer is JSON, and the part at `path` matches `value`.",
  example: "{ type: json, path: order.status, value: { $one_of: [delivered, shipped] } }",
  options: strictObject({
    value: matcherSchema.optional().describe("Matcher of the JSON. Without it the answer only has to be JSON."),
    path: pathSchema.optional().describe("Which part to match, such as items[2].price. Default: all of it."),
    strict: z.boolean().optional().describe("True to refuse a code fence around the JSON."),
  }),
  check({ value: matcher, path = [], strict = false }, output) {
    const parsed = parseAnswerJson(output, strict);
    if (!parsed.success) {
      return { pass: false, score: 0, message: `Expected the answer to be JSON, but ${parsed.error}`, actual: output };
    }
    const place = path.length === 0 ? "the answer" : renderPath(path);
    const value = valueAt(parsed.data, path);
    if (matcher === undefined) {
      if (value !== undefined) return { pass: true, score: 1, message: `The answer is JSON and has ${place}` };
      const message = `Expected the answer to have ${place}, but it is ${preview(parsed.data)}`;
      return { pass: false, score: 0, message, expected: place, actual: parsed.data };
    }
    const matched = matcher.match(value);
    if (matched.pass) return { pass: true, score: 1, message: `JSON: ${place} matches ${preview(matcher.source)}` };
    const message = `Expected ${place} to match ${preview(matcher.source)}, but ${describeMismatches(matched.mismatches, path)}`;
    return { pass: false, score: 0, message, expected: matcher.source, actual: value };
  },
});

function describeMismatches(
  [first, ...rest]: readonly [Mismatch, ...Mismatch[]],
  path: readonly (string | number)[],
): string {
  const base = renderPath(path);
  const separator = base === "" || first.path === "" || first.path.startsWith("[") ? "" : ".";
  const place = `${base}${separator}${first.path}`;
  const more = rest.length > 0 ? ` (and ${rest.length} more)` : "";
  return `${place === "" ? "it" : place} is ${preview(first.actual)}${more}`;
}
