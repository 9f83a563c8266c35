import * as z from "../../values/deferred-zod.js";
import { durationSchema } from "../../schema-parts/duration-schema.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { compileRegex } from "../../matchers/safe-regex.js";
import { retryPresetNames, retryPresets, type RetryPolicy } from "../../resilience/retry-policy.js";

const presetSchema = z.enum(retryPresetNames);

const patternSchema = z.string().transform((source, context) => {
  const compiled = compileRegex(source, "i");
  if (compiled.success) return compiled.data;
  context.addIssue({
    code: "custom",
    message: `"${source}" is not a valid regular expression: ${compiled.error.replace(/^.*: /, "")}`,
  });
  return z.NEVER;
});

const policySchema = strictObject({
  preset: presetSchema.default("default").describe("Where the values come from that are not written here"),
  max_attempts: z.int().min(1).max(20).optional().describe("All attempts, the first included"),
  initial_delay: durationSchema.optional().describe("Wait before the second attempt"),
  max_delay: durationSchema.optional().describe("The longest wait between two attempts"),
  multiplier: z.number().min(1).optional().describe("By how much each wait is longer than the one before"),
  jitter: z.number().min(0).max(1).optional().describe("Random extra wait, as a share of the wait"),
  statuses: z.array(z.int().min(400).max(599)).optional().describe("Further HTTP statuses that are tried again"),
  patterns: z
    .array(patternSchema)
    .optional()
    .describe("Regular expressions on the error's body that allow another try"),
  max_retry_after: durationSchema
    .optional()
    .describe("A server that asks for a longer wait fails the call immediately"),
  total: durationSchema.optional().describe("All attempts and waits together may take this long"),
}).transform((written): RetryPolicy => {
  const preset: RetryPolicy = retryPresets[written.preset];
  return {
    maxAttempts: written.max_attempts ?? preset.maxAttempts,
    initialDelayMs: written.initial_delay ?? preset.initialDelayMs,
    maxDelayMs: written.max_delay ?? preset.maxDelayMs,
    multiplier: written.multiplier ?? preset.multiplier,
    jitter: written.jitter ?? preset.jitter,
    statuses: written.statuses ?? preset.statuses,
    patterns: written.patterns ?? preset.patterns,
    maxRetryAfterMs: written.max_retry_after ?? preset.maxRetryAfterMs,
    totalMs: written.total ?? preset.totalMs,
  };
});

/** `retry:` of a model, a provider or the top level: the name of a preset, or single values over one. */
const retrySchema = z
  .union([presetSchema.transform((name): RetryPolicy => retryPresets[name]), policySchema])
  .describe("How a failed call to a provider is tried again")
  .meta({ examples: ["default", { preset: "aggressive", max_attempts: 4 }] });

const circuitBreakerSchema = z
  .union([
    z.literal(false),
    strictObject({
      failures: z.int().min(1).default(5).describe("Failed attempts in a row that open the circuit. Default: 5"),
      reset: durationSchema
        .default(60_000)
        .describe("After which one call may try whether the server is back. Default: 60s"),
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
    .describe("Asks for answers in pieces, which gives the time to the first token. Default: false")
    .meta({ examples: [true] }),
};

const callSchema = z.object(callKeys);

export type WrittenCall = z.output<typeof callSchema>;
