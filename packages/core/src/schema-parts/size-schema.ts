import * as z from "../values/deferred-zod.js";
import { parseSize, sizePattern } from "../values/size.js";

/** `500 MB` or `1GiB`; yields bytes. */
export const sizeSchema = z
  .string()
  .meta({ pattern: sizePattern })
  .transform((text, context) => {
    const bytes = parseSize(text);
    if (bytes !== null) return bytes;
    context.addIssue({
      code: "custom",
      message: `"${text}" is not a valid size\nUse a number with a unit, such as 500MB`,
    });
    return z.NEVER;
  });
