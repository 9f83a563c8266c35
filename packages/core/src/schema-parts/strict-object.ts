import * as z from "../values/deferred-zod.js";
import { didYouMean } from "../values/nearest-name.js";

/**
 * A mapping that takes the keys of `shape` and no other. An unknown key is reported as `Unknown key "x"`, with the
 * nearest valid one on a second line.
 */
export function strictObject<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? describeUnknownKeys(issue.keys, shape) : undefined),
  });
}

/** One message per key, joined by a NUL: zod has one issue for all unknown keys of a mapping. */
function describeUnknownKeys(keys: readonly string[], shape: z.ZodRawShape): string {
  const valid = Object.keys(shape);
  return keys
    .map((key) => `Unknown key "${key}"\n${didYouMean(key, valid) ?? `Valid keys: ${valid.join(", ")}`}`)
    .join("\u0000");
}
