import type * as z from "zod";
import { isRecord } from "../values/json.js";
import { failure, success, type Result } from "../result.js";
import { problemsOf } from "./problems-of.js";
import type { SchemaProblem } from "./schema-problem.js";

/**
 * The value as the schema reads it, or what is wrong with it. What is wrong is asked for in a second pass: a pass that
 * keeps the inputs for messages takes several times as long, and most values are valid.
 */
export function parseWith<T>(schema: z.ZodType<T>, value: unknown): Result<T, readonly SchemaProblem[]> {
  const parsed = isWorthCompiling(schema, value) ? schema.safeParse(value) : schema.safeParse(value, { jitless: true });
  if (parsed.success) return success(parsed.data);
  const explained = schema.safeParse(value, { reportInput: true });
  return failure(problemsOf(explained.error ?? parsed.error));
}

const usesBySchema = new WeakMap<z.ZodType, number>();
const manyUses = 20;
const manyNodes = 1_000;

/** zod writes code for a schema that it reads with, which takes longer than to read a few small values without it. */
function isWorthCompiling(schema: z.ZodType, value: unknown): boolean {
  const uses = usesBySchema.get(schema) ?? 0;
  if (uses >= manyUses) return true;
  usesBySchema.set(schema, uses + 1);
  return countNodes(value, manyNodes) >= manyNodes;
}

/** Stops at `most`. */
function countNodes(value: unknown, most: number): number {
  if (!Array.isArray(value) && !isRecord(value)) return 1;
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let count = 1;
  for (const part of parts) {
    if (count >= most) break;
    count += countNodes(part, most - count);
  }
  return count;
}
