import * as z from "../values/deferred-zod.js";
import { strictObject } from "../schema-parts/strict-object.js";
import { toolErrorTypes } from "../transcript/tool-failure.js";

/** An error that is written in the config, of a simulated tool or a fault. */
export const toolErrorSchema = strictObject({
  type: z
    .enum(toolErrorTypes)
    .default("runtime")
    .describe("Type of the tool error that the model receives; it also decides whether the error is retryable"),
  message: z
    .string()
    .describe("What went wrong, as the model reads it")
    .meta({ examples: ["upstream timed out"] }),
  retryable: z.boolean().optional().describe("Overrides what follows from the type, such as false for a payment"),
  recommendations: z.array(z.string()).optional().describe("Advice for the model, put into the error"),
});
