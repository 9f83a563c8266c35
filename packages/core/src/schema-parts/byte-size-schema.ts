import * as z from "../values/deferred-zod.js";

const units: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 1_024,
  MiB: 1_024 ** 2,
  GiB: 1_024 ** 3,
};
const pattern = /^\s*(\d+(?:\.\d+)?)\s*(B|kB|MB|GB|KiB|MiB|GiB)\s*$/;

/** `64kB`, `10MB` or `1.5GiB`; yields bytes. A number without a unit is rejected. */
export const byteSizeSchema = z
  .string({ error: "A size is a number with a unit, such as 64kB, 10MB or 1GiB" })
  .meta({ pattern: "^\\s*\\d+(\\.\\d+)?\\s*(B|kB|MB|GB|KiB|MiB|GiB)\\s*$" })
  .transform((written, context) => {
    const [, amount, unit] = pattern.exec(written) ?? [];
    const bytes = Math.round(Number(amount) * (units[unit ?? ""] ?? Number.NaN));
    if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
    context.addIssue({
      code: "custom",
      message: `"${written.trim()}" is not a valid size\nUse a number with a unit, such as 64kB, 10MB or 1GiB`,
    });
    return z.NEVER;
  });
