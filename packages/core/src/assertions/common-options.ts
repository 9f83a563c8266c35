import * as z from "../values/deferred-zod.js";
import { matcherSchema } from "../matchers/matcher-schema.js";
import { strictObject } from "../schema-parts/strict-object.js";

/** What every assertion and every group takes besides its own keys. */
export const commonOptions = strictObject({
  not: z.boolean().optional().describe("True to pass exactly when the check itself does not."),
  id: z.string().min(1).optional().describe("Your name for the assertion, shown in results."),
  weight: z
    .number()
    .positive()
    .optional()
    .describe("Share in the weighted mean that `threshold` of the test is compared with. Default 1."),
  when: matcherSchema
    .optional()
    .describe(
      "Evaluate only if the trial matches: output, tool_calls, turns, latency_ms, cost_usd, finish_reason, usage, fault, stopped_by.",
    ),
  user_turn: z
    .int()
    .positive()
    .optional()
    .describe("Look at this user turn of the conversation, from 1, instead of the whole trial."),
  agent: z.string().min(1).optional().describe("Look at the agent with this name alone."),
});

export const commonKeys: readonly string[] = z.objectKeys(commonOptions) ?? [];
