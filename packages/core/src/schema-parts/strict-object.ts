import * as z from "../values/deferred-zod.js";
import { useInstead, type WordKind } from "../values/foreign-words.js";
import { didYouMean } from "../values/nearest-name.js";

/**
 * A mapping that takes the keys of `shape` and no other. An unknown key is reported as `Unknown key "x"`, with the
 * nearest valid one on a second line. `words` names where the object stands, for keys that other tools have there.
 */
export function strictObject<Shape extends z.ZodRawShape>(
  shape: Shape,
  words?: WordKind,
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? describeUnknownKeys(issue.keys, shape, words) : undefined),
  });
}

/** One message per key, joined by a NUL: zod has one issue for all unknown keys of a mapping. */
function describeUnknownKeys(keys: readonly string[], shape: z.ZodRawShape, words: WordKind | undefined): string {
  const valid = Object.keys(shape);
  const hintFor = (key: string): string =>
    (words === undefined ? undefined : useInstead(words, key)) ??
    didYouMean(key, valid) ??
    `Valid keys: ${valid.join(", ")}`;
  return keys.map((key) => `Unknown key "${key}"\n${hintFor(key)}`).join("\u0000");
}
