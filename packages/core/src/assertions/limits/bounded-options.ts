import * as z from "zod";
import { strictObject } from "../../schema-parts/strict-object.js";
import { boundsProblem } from "./bounds.js";

/** `min` and `max` of which at least one is there, with the further keys of an assertion. */
export function boundedOptions<Bound extends z.ZodType<number>, Further extends z.ZodRawShape>(
  bound: Bound,
  what: string,
  further: Further,
) {
  return strictObject({
    max: bound.optional().describe(`The most that ${what} may be, inclusive.`),
    min: bound.optional().describe(`The least that ${what} may be, inclusive.`),
    ...further,
  }).superRefine((value, context) => {
    const { min, max } = value as { min?: number; max?: number };
    const problem = boundsProblem({ min, max });
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
  });
}
