import * as z from "zod";
import { durationSchema } from "../schema-parts/duration-schema.js";
import { strictObject } from "../schema-parts/strict-object.js";
import { toolErrorTypes, type ToolErrorType } from "../transcript/tool-failure.js";
import type { JsonObject } from "../values/json.js";
import { simulatedDefaultSchema, simulatedResponseSchema } from "./simulated/simulated-tool-schema.js";
import { toolErrorStyles, type RecommendationRules, type ToolConfig } from "./tool-config.js";

const attributesSchema = strictObject({
  readonly: z.boolean().default(false).describe("The tool changes nothing"),
  no_effect: z.boolean().default(false).describe("The tool may run in parallel with others, and may be run again"),
});

const adviceSchema = z.array(z.string().min(1)).min(1);

/** A tool's own `recommendations`: a list for every error type, or lists by type. */
const ownRecommendationsSchema = z.union([
  adviceSchema.transform((advice) => Object.fromEntries(toolErrorTypes.map((type) => [type, advice]))),
  z.partialRecord(z.enum(toolErrorTypes), adviceSchema),
]);

/** One entry of `tools:`. */
export const toolSchema = strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,128}$/, { error: '"name" of a tool may hold letters, digits, _ . and - only' })
    .describe("Name of the tool, as the model calls it")
    .meta({ examples: ["lookup_order"] }),
  description: z.string().optional().describe("What the tool does, as the model reads it"),
  parameters: z
    .custom<JsonObject>((value) => typeof value === "object" && value !== null && !Array.isArray(value), {
      error: '"parameters" must be a mapping: the JSON Schema of the arguments',
    })
    .optional()
    .describe("JSON Schema of the arguments; calls that break it are answered with a validation error"),
  attributes: attributesSchema.optional().describe("What may be done with the tool without harm"),
  recommendations: ownRecommendationsSchema.optional().describe("Advice put into this tool's errors"),
  responses: z
    .array(simulatedResponseSchema)
    .optional()
    .describe("Answers tried in order; the first that matches the arguments is used"),
  default: simulatedDefaultSchema.optional().describe("The answer when no response matches"),
  timeout: durationSchema.optional().describe("How long a call may take; default is timeouts.tool"),
}).transform((written): ToolConfig => ({
  kind: "simulated",
  name: written.name,
  ...(written.description === undefined ? {} : { description: written.description }),
  parameters: written.parameters ?? { type: "object", properties: {} },
  attributes: written.attributes ?? { readonly: false, no_effect: false },
  recommendations: (written.recommendations ?? {}) as Partial<Record<ToolErrorType, readonly string[]>>,
  responses: written.responses ?? [],
  default: written.default ?? null,
  timeoutMs: written.timeout ?? null,
}));

/** `tool_errors:` of a test or suite. */
export const toolErrorsSchema = z
  .enum(toolErrorStyles)
  .describe("How a tool error is told to the model: the full envelope, its message alone, or an empty result");

/** `recommendations:` of a test or suite. */
export const recommendationsSchema: z.ZodType<RecommendationRules> = z
  .union([
    z.literal("builtin"),
    z.array(
      strictObject({
        tool: z.string().default("*").describe("Name of the tool; * and ? stand for any text and any character"),
        error_type: z.enum(toolErrorTypes).optional().describe("Only for errors of this type"),
        recommendations: adviceSchema.describe("Advice put into the error that the model reads"),
      }),
    ),
  ])
  .describe("Advice for the model after a tool error; none by default, because it would coach the agent");
