import * as z from "../values/deferred-zod.js";
import type { AssertionDefinition } from "./define-assertion.js";

const cache = new WeakMap<AssertionDefinition, readonly string[] | null>();

/** The keys that a type takes besides those of every assertion; null when its schema does not tell. */
export function optionKeys(definition: AssertionDefinition): readonly string[] | null {
  const known = cache.get(definition);
  if (known !== undefined) return known;
  const keys = keysOf(definition.options);
  cache.set(definition, keys);
  return keys;
}

/** A schema that transforms its outcome is a pipe; what is written is its way in. */
function keysOf(schema: z.core.$ZodType): readonly string[] | null {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodPipe) return keysOf(schema.in);
  return null;
}
