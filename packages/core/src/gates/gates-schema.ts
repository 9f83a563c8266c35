import type * as z from "zod";
import { strictObject } from "../schema-parts/strict-object.js";
import { gateDefinitions } from "./registry.js";

/** `gates`, of the run and of a suite. */
export const gatesSchema = strictObject(
  Object.fromEntries(
    gateDefinitions.map(({ name, schema, summary, examples }) => [
      name,
      schema.optional().describe(summary).meta({ examples }),
    ]),
  ),
);

/** Each value is what the definition of its gate takes. */
export type WrittenGates = z.output<typeof gatesSchema>;
