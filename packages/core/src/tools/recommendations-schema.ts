import { strictObject } from "../schema-parts/strict-object.js";
import { toolGlob } from "../schema-parts/tool-glob.js";
import { toolErrorTypes } from "../transcript/tool-failure.js";
import * as z from "../values/deferred-zod.js";
import { toolErrorStyles, type RecommendationRules } from "./tool-config.js";

export const adviceSchema = z.array(z.string().min(1)).min(1);

/** `tool_errors:` of a test or suite. */
export const toolErrorsSchema = z
  .enum(toolErrorStyles)
  .describe("How a tool error is passed to the model: the full envelope, its message alone, or an empty result");

/** `recommendations:` of a test or suite. */
export const recommendationsSchema: z.ZodType<RecommendationRules> = z
  .union([
    z.literal("builtin"),
    z.array(
      strictObject({
        tool: toolGlob.default("*").describe("Name of the tool; * and ? stand for any text and any character"),
        error_type: z.enum(toolErrorTypes).optional().describe("Only for errors of this type"),
        recommendations: adviceSchema.describe("Advice put into the error that the model reads"),
      }),
    ),
  ])
  .describe("Advice for the model after a tool error; none by default, because it would coach the agent");
