import * as z from "../values/deferred-zod.js";
import { strictObject } from "../schema-parts/strict-object.js";

/**
 * `params:` of a model or test. Strict: what KindLM does not know goes into `extra_body`, which is put into the
 * request as it stands.
 */
export const modelParamsSchema = strictObject({
  temperature: z.number().min(0).max(2).optional().describe("Sampling temperature; 0 for the most likely answer"),
  top_p: z.number().gt(0).max(1).optional().describe("Nucleus sampling: share of the probability that is considered"),
  max_tokens: z.int().min(1).optional().describe("The most tokens that the model may write, its reasoning included"),
  seed: z.int().optional().describe("Asks the provider for a repeatable answer, where it can"),
  stop: z.array(z.string()).min(1).optional().describe("Strings at which the model stops"),
  frequency_penalty: z.number().min(-2).max(2).optional().describe("Discourages tokens by how often they occurred"),
  presence_penalty: z.number().min(-2).max(2).optional().describe("Discourages tokens that occurred at all"),
  reasoning_effort: z.string().min(1).optional().describe("How much the model thinks, such as low, medium or high"),
  tool_choice: z
    .union([z.enum(["auto", "none", "required"]), strictObject({ tool: z.string().min(1) })])
    .optional()
    .describe("Whether the model may or must call a tool, or which one"),
  parallel_tool_calls: z.boolean().optional().describe("Whether one answer may call several tools"),
  response_format: z
    .union([
      z.literal("json"),
      strictObject({
        name: z
          .string()
          .regex(/^[\w-]{1,64}$/)
          .optional()
          .describe("Name of the schema, for providers that want one"),
        schema: z.record(z.string(), z.json()).describe("JSON Schema that the answer must satisfy"),
        strict: z.boolean().optional().describe("Whether the provider enforces the schema, where it can choose"),
      }),
    ])
    .optional()
    .describe("Asks for an answer in JSON: json for any object, or a schema"),
  extra_body: z
    .record(z.string(), z.json())
    .optional()
    .describe("Put into the request body as it stands, over everything else"),
});
