import * as z from "../values/deferred-zod.js";
import type { JsonValue } from "../values/json.js";

/** `state:` of a suite or test. */
export const stateSchema = z
  .record(
    z.string().regex(/^[^{}.]+$/, { error: "The name of a state must not hold . { or }" }),
    z.custom<JsonValue>((value) => value !== undefined),
  )
  .describe("What simulated tools share in a trial, at its start; they read {{state.x}} and change it with `set`")
  .meta({ examples: [{ cancelled: false, orders: { "ORD-1": { status: "open" } } }] });
