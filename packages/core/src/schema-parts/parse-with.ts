import type * as z from "zod";
import { failure, success, type Result } from "../result.js";
import { problemsOf } from "./problems-of.js";
import type { SchemaProblem } from "./schema-problem.js";

/**
 * The value as the schema reads it, or what is wrong with it. What is wrong is asked for in a second pass: a pass that
 * keeps the inputs for messages takes several times as long, and most values are valid.
 */
export function parseWith<T>(schema: z.ZodType<T>, value: unknown): Result<T, readonly SchemaProblem[]> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return success(parsed.data);
  const explained = schema.safeParse(value, { reportInput: true });
  return failure(problemsOf(explained.error ?? parsed.error));
}
