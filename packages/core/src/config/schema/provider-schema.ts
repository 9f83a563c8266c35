import * as z from "../../values/deferred-zod.js";
import { modelParamsSchema } from "../../providers/model-params-schema.js";
import type { ProviderDefinition } from "../../providers/define-provider.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { callKeys } from "./call-schema.js";
import { modelTimeoutsSchema, nameSchema } from "./settings-schema.js";

const pricingSchema = strictObject({
  input: z.number().min(0).describe("US dollars per million input tokens"),
  output: z.number().min(0).describe("US dollars per million output tokens"),
  cached_input: z
    .number()
    .min(0)
    .optional()
    .describe("US dollars per million input tokens read from the provider's cache"),
})
  .describe("What the model costs, where KindLM does not know or you pay another price")
  .meta({ examples: [{ input: 0.4, output: 1.6 }] });

/** Keys of every entry of `models:`, in addition to those of its provider's type. */
export const modelKeys = {
  id: nameSchema
    .regex(/^[^:@#[\]\s]+$/, { error: "The id of a model has no space and none of : @ # [ ]" })
    .describe("Name of the model in this config and in reports")
    .meta({ examples: ["gpt"] }),
  provider: z
    .string()
    .min(1)
    .describe("Name of a known provider, or of an entry of `providers`")
    .meta({ examples: ["openai"] }),
  params: modelParamsSchema
    .optional()
    .describe("Parameters of the requests; those of a test win over those of its model")
    .meta({ examples: [{ temperature: 0, max_tokens: 1024 }] }),
  ...callKeys,
  timeouts: modelTimeoutsSchema.optional(),
  pricing: pricingSchema.optional(),
};

const modelNameSchema = z
  .string()
  .min(1)
  .describe("Name of the model, as its provider knows it")
  .meta({ examples: ["gpt-4.1-mini"] });

/** The content is read apart, so that its problems are placed in the file that holds it. */
const documentSchema = z
  .union([z.string().min(1), z.record(z.string(), z.unknown())])
  .describe("Path of a YAML file, or its content")
  .meta({ examples: ["scripts/order-agent.yaml"] });

/** An entry of `providers:` of a certain type. */
export function providerSchemaOf(definition: ProviderDefinition) {
  return strictObject({ ...definition.settings, ...callKeys, type: z.string().optional() });
}

/** An entry of `models:` whose provider has a certain type. */
export function modelSchemaOf(definition: ProviderDefinition) {
  return strictObject(
    {
      ...definition.modelSettings,
      ...documentKeys(definition),
      ...modelKeys,
      model: definition.modelOptional === true ? modelNameSchema.optional() : modelNameSchema,
    },
    "model",
  );
}

/** Any entry of `providers:`, with the keys of all types; for editors. */
export function anyProviderSchema(definitions: readonly ProviderDefinition[]): z.ZodType {
  return strictObject({
    type: z
      .enum(definitions.map((definition) => definition.type))
      .optional()
      .describe("Which API it speaks; the entry's own name when left out")
      .meta({ examples: ["openai"], described: providerSummaries(definitions) }),
    ...optionalKeys(definitions.map((definition) => definition.settings)),
    ...callKeys,
  });
}

/** Any entry of `models:`, with the keys of all types; for editors. */
export function anyModelSchema(definitions: readonly ProviderDefinition[]): z.ZodType {
  return strictObject({
    ...modelKeys,
    provider: modelKeys.provider.meta({ described: providerSummaries(definitions) }),
    model: modelNameSchema.optional(),
    ...optionalKeys(definitions.flatMap((definition) => [definition.modelSettings, documentContents(definition)])),
  });
}

/** What each provider is, for editors, which offer them by name. */
function providerSummaries(definitions: readonly ProviderDefinition[]): Record<string, string> {
  return Object.fromEntries(definitions.map(({ type, summary }) => [type, `${summary}.`]));
}

function documentKeys(definition: ProviderDefinition): z.ZodRawShape {
  const keys = Object.keys(definition.documents);
  return Object.fromEntries(keys.map((key) => [key, documentSchema]));
}

/** The documents with their possible content. */
function documentContents({ documents }: ProviderDefinition): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(documents).map(([key, content]) => [
      key,
      z.union([z.string().min(1), content]).describe("Path of a YAML file, or its content"),
    ]),
  );
}

function optionalKeys(shapes: readonly z.ZodRawShape[]): z.ZodRawShape {
  const merged: Record<string, z.core.$ZodType> = {};
  for (const shape of shapes) {
    for (const [key, schema] of Object.entries(shape)) merged[key] ??= z.optional(schema);
  }
  return merged;
}
