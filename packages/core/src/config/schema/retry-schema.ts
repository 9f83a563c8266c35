import * as z from "../../values/deferred-zod.js";
import { compileRegex } from "../../matchers/safe-regex.js";
import { retryPresetNames, retryPresets, type RetryPolicy } from "../../resilience/retry-policy.js";
import { durationSchema } from "../../schema-parts/duration-schema.js";
import { strictObject } from "../../schema-parts/strict-object.js";

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
  max_retry_after: durationSchema.optional().describe("A server that asks for a longer wait fails the call at once"),
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
export const retrySchema = z
  .union([presetSchema.transform((name): RetryPolicy => retryPresets[name]), policySchema])
  .describe("How a failed call to a provider is tried again")
  .meta({ examples: ["default", { preset: "aggressive", max_attempts: 4 }] });
