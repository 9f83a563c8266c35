import { isRecord, parseOwnJson, type JsonObject, type JsonValue } from "../values/json.js";
import * as z from "../values/deferred-zod.js";
import { assertionJsonSchema } from "../assertions/assertion-json-schema.js";
import { providerDefinitions } from "../providers/registry.js";
import { readCommonYaml } from "./source/common-yaml/read-common-yaml.js";
import { configSchemaOf } from "./schema/config-schema.js";
import { anyModelSchema, anyProviderSchema } from "./schema/provider-schema.js";
import { suiteSchemaOf } from "./schema/suite-schema.js";

const address = "https://kindlm.com/schemas/kindlm.schema.json";

/**
 * The JSON Schema (draft-07, which editors know best) of a config file, made from the definitions that also validate. A suite file is
 * `#/definitions/suite` of it. Provider and model entries take the keys of every provider's type.
 */
export function configJsonSchema(): JsonObject {
  const assertion = z.unknown().meta({ description: "What must hold after each trial" });
  const suite = suiteSchemaOf(assertion);
  const suiteEntry = z.union([
    z
      .string()
      .describe("Path or glob of files that hold one suite each")
      .meta({ examples: ["suites/*.yaml"] }),
    suite,
  ]);
  const config = configSchemaOf({
    provider: anyProviderSchema(providerDefinitions),
    model: anyModelSchema(providerDefinitions),
    suite: suiteEntry,
    assertion,
  });
  const { $schema, definitions, ...rest } = toJsonSchema(config, assertion, suite);
  const {
    $schema: _suiteVersion,
    definitions: suiteDefinitions,
    ...suiteSchema
  } = toJsonSchema(suite, assertion, null);
  return {
    $schema: $schema ?? "http://json-schema.org/draft-07/schema#",
    $id: address,
    title: "KindLM config",
    description: "Tests of AI agents: models, suites, situations and what must hold in them",
    ...rest,
    definitions: {
      ...definitionsOf(definitions),
      ...definitionsOf(suiteDefinitions),
      ...definitionsOf(assertionJsonSchema(parseExample)["definitions"]),
      suite: { title: "KindLM suite", description: "An agent under test and its tests", ...suiteSchema },
    },
  };
}

/** Examples are written as configs are, so that the library for the rest of YAML need not be loaded. */
function parseExample(text: string): unknown {
  return readCommonYaml(text)?.value;
}

function toJsonSchema(schema: z.ZodType, assertion: z.ZodType, suite: z.ZodType | null): JsonObject {
  const generated = z.toJSONSchema(schema, {
    io: "input",
    target: "draft-7",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const written: unknown = zodSchema;
      if (written === z.builtSchema(assertion)) replace(jsonSchema, { $ref: "#/definitions/assertion" });
      else if (suite !== null && written === z.builtSchema(suite)) replace(jsonSchema, { $ref: "#/definitions/suite" });
      // zod leaves out the examples of what it transforms; ours are always as a config has them.
      const examples = z.globalRegistry.get(zodSchema)?.["examples"];
      if (Array.isArray(examples)) jsonSchema.examples ??= examples;
      // Built-in values depend on the level and the provider; the descriptions name them.
      delete jsonSchema.default;
      delete jsonSchema.id;
    },
  });
  const written = parseOwnJson(JSON.stringify(generated));
  return isRecord(written) ? written : {};
}

function replace(target: Record<string, unknown>, content: JsonObject): void {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, content);
}

function definitionsOf(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isRecord(value) ? value : {};
}
