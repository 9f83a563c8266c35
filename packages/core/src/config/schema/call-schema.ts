import * as z from "../../values/deferred-zod.js";
import { durationSchema } from "../../schema-parts/duration-schema.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { retrySchema } from "./retry-schema.js";

const circuitBreakerSchema = z
  .union([
    z.literal(false),
    strictObject({
      failures: z.int().min(1).default(5).describe("Failed attempts in a row that open the circuit (5)"),
      reset: durationSchema.default(60_000).describe("After which one call may try whether the server is back (60s)"),
    }).transform(({ failures, reset }) => ({ failures, resetMs: reset })),
  ])
  .describe("When calls to a server that keeps failing are refused without a request; false for never")
  .meta({ examples: [{ failures: 5, reset: "60s" }, false] });

/** How calls to a model are made. Keys of a model, a provider and the top level; the nearest wins. */
export const callKeys = {
  retry: retrySchema.optional(),
  circuit_breaker: circuitBreakerSchema.optional(),
  fallback: z
    .array(z.string().min(1))
    .optional()
    .describe("Models that answer in its place, in this order, while it is down or limits the rate")
    .meta({ examples: [["claude"]] }),
  allow_fallback: z
    .boolean()
    .optional()
    .describe("Lets `fallback` answer for a model under test too (false); such cases are marked")
    .meta({ examples: [true] }),
  requests_per_minute: z
    .int()
    .min(1)
    .optional()
    .describe("The most requests that begin within any minute")
    .meta({ examples: [60] }),
  tokens_per_minute: z
    .int()
    .min(1)
    .optional()
    .describe("The most tokens, of input and output, that are used within any minute")
    .meta({ examples: [100_000] }),
  stream: z
    .boolean()
    .optional()
    .describe("Asks for answers in pieces, which gives the time to the first token (false)")
    .meta({ examples: [true] }),
};

const callSchema = z.object(callKeys);

export type WrittenCall = z.output<typeof callSchema>;
