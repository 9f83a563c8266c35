import type * as z from "zod";
import { invalid } from "./api-error.js";

/** At most as many problems are listed. */
const mostIssues = 20;

/** The value as the schema has it. Throws a 422 that says what is wrong at which `place`: `body` or `query`. */
export function check<T>(schema: z.ZodType<T>, value: unknown, place: string): T {
  const parsed = parse(schema, value, place);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, mostIssues).map(({ path, message, code }) => ({
    path: [place, ...path.map(String)].join("."),
    code,
    message,
  }));
  throw invalid(`The ${place} of the request is not valid`, issues);
}

function parse<T>(schema: z.ZodType<T>, value: unknown, place: string) {
  try {
    return schema.safeParse(value);
  } catch (error) {
    if (error instanceof RangeError) throw invalid(`The ${place} of the request is nested too deeply`);
    throw error;
  }
}
