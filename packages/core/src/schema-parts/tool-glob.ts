import * as z from "../values/deferred-zod.js";

/**
 * A name or glob of tools, as every key that takes one reads it: `*` is any text, `?` is any one character. Signs that
 * other programs give a meaning in globs are rejected, because read as plain text they match no tool, silently.
 */
export const toolGlob = z
  .string()
  .min(1)
  .regex(/^[^{}[\]!]*$/, {
    error: ({ input }) =>
      `${JSON.stringify(input)} contains ${quotedSigns(String(input))}, but globs of tools know only * and ?\n` +
      "Write a list of globs instead of { } and [ ], or ? for any one character",
  });

function quotedSigns(glob: string): string {
  return [...new Set(glob.match(/[{}[\]!]/g))].map((sign) => `"${sign}"`).join(" ");
}
