import * as z from "../../values/deferred-zod.js";

/** A number is taken as its text, because an interpolated placeholder keeps the type of its value. */
const text = z.union([z.string(), z.number()]).transform(String);

const nonEmptyText = text.refine((value) => value !== "", { error: "An empty string is in every answer" });

/** One text or a list of them; yields a list. */
export function textList(description: string, options: { allowEmpty: boolean } = { allowEmpty: false }) {
  const entry = options.allowEmpty ? text : nonEmptyText;
  return z
    .union([entry, z.array(entry).min(1)])
    .transform((value): readonly string[] => (Array.isArray(value) ? value : [value]))
    .describe(description);
}

export const ignoreCase = z.boolean().optional().describe("True to treat upper and lower case alike.");

/** Lower case where case does not count. */
export function foldCase(value: string, ignores: boolean | undefined): string {
  return ignores ? value.toLowerCase() : value;
}
