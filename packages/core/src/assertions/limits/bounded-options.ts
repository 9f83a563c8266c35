import type * as z from "zod";
import { boundsProblem, type Bounds } from "./bounds.js";

/** The keys `min` and `max`; `what` is named in their descriptions. */
export function boundKeys<Bound extends z.ZodType<number>>(bound: Bound, what: string) {
  return {
    max: bound.optional().describe(`The most that ${what} may be, inclusive.`),
    min: bound.optional().describe(`The least that ${what} may be, inclusive.`),
  };
}

/** Refuses options without a bound, and bounds that contradict each other. */
export function requireBounds<Schema extends z.ZodType<Bounds>>(schema: Schema): Schema {
  return schema
    .superRefine((bounds, context) => {
      const problem = boundsProblem(bounds);
      if (problem !== null) context.addIssue({ code: "custom", message: problem });
    })
    .meta({ anyOf: [{ required: ["max"] }, { required: ["min"] }] });
}
