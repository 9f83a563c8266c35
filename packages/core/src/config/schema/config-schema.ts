import * as z from "../../values/deferred-zod.js";
import { cassetteModes } from "../cassette-mode.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { callKeys } from "./call-schema.js";
import { settingKeys } from "../settings/test-settings.js";
import { agentsSchemaOf } from "../../tools/builtin/task/agents-schema.js";
import { skillsSchema } from "../../tools/builtin/skills/skills-schema.js";
import { gatesSchema } from "../../gates/gates-schema.js";
import { pluginsSchema } from "./plugin-schema.js";
import { uploadSchema } from "./upload-schema.js";
import {
  assertListSchema,
  embedderSchema,
  judgeSchema,
  modelNamesSchema,
  passSchema,
  runLimitsSchema,
  runsSchema,
  runTimeoutsSchema,
} from "./settings-schema.js";

/** What stands for the parts that are read one by one. */
export interface ConfigParts {
  provider: z.ZodType<unknown>;
  model: z.ZodType<unknown>;
  suite: z.ZodType<unknown>;
  tool: z.ZodType<unknown>;
  /** An entry of `tools` of an agent. */
  agentTool: z.ZodType<unknown>;
  assertion: z.ZodType<unknown>;
}

const versionSchema = z
  .literal(1, {
    error: (issue) =>
      issue.input === undefined
        ? '"version" is missing\nAdd version: 1 at the top of the file'
        : '"version" must be 1\nWrite version: 1',
  })
  .describe("Version of the format of this file")
  .meta({ examples: [1] });

const baselineSchema = strictObject({
  alpha: z
    .number()
    .gt(0)
    .max(0.5)
    .optional()
    .describe("The probability of chance from which on a suite counts as regressed. Default: 0.05"),
  margin: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe("The drop of the pass rate that does not matter, from 0 to 1. Default: 0.05"),
})
  .optional()
  .describe("How runs are compared with the baselines of their suites")
  .meta({ examples: [{ alpha: 0.05, margin: 0.1 }] });

const runKeys = {
  cassette: z
    .enum(cassetteModes)
    .optional()
    .describe(
      "Whether answers of models and tools are recorded (record), replayed (replay), or both (auto). --cassette overrides it. Default: off",
    )
    .meta({ examples: ["auto"] }),
  exit_on: z
    .enum(["tests", "gates"])
    .optional()
    .describe(
      "What decides about failed tests: each one fails the run (tests), or the gates that read failures decide (gates). Default: tests.",
    )
    .meta({ examples: ["gates"] }),
  keep_runs: z
    .union([z.int().min(1), z.literal("all")])
    .optional()
    .describe(
      "How many runs stay under .kindlm/runs: the oldest ones beyond it are removed after each run. Default: 100",
    )
    .meta({ examples: [20, "all"] }),
  watch: z
    .array(
      z
        .string()
        .min(1)
        .refine((pattern) => !/^!|^(?:[A-Za-z]:)?[\\/]/.test(pattern), {
          error: "A pattern starts at the folder of the config, and selects files",
        }),
    )
    .optional()
    .describe(
      "Globs of the code behind targets and tools. In watch mode, a change in these files runs the tests with such targets or tools again. Not part of the identity of a case",
    )
    .meta({ examples: [["src/**/*.ts", "agent/**"]] }),
  allow_outside: z
    .boolean()
    .optional()
    .describe("Allows paths that leave the folder of the config")
    .meta({ examples: [true] }),
};

function defaultsSchemaOf(assertion: ConfigParts["assertion"]) {
  return strictObject({
    models: modelNamesSchema.optional(),
    judge: judgeSchema.optional(),
    embedder: embedderSchema.optional(),
    runs: runsSchema.optional(),
    pass: passSchema.optional(),
    ...settingKeys("defaults"),
    concurrency: z.int().min(1).max(10_000).optional().describe("Trials that run at the same time. Default: 8"),
    seed: z.int().min(0).optional().describe("Seeds every random choice, so that a run can be repeated. Default: 1"),
    assert: assertListSchema(assertion).optional(),
  })
    .optional()
    .describe("Values for all suites and tests that do not set their own")
    .meta({ examples: [{ runs: 3, concurrency: 16 }] });
}

/** The whole config file. */
export function configSchemaOf(parts: ConfigParts) {
  return strictObject(
    {
      $schema: z.string().optional().describe("Address of the JSON Schema, for editors"),
      version: versionSchema,
      project: z
        .string()
        .min(1)
        .optional()
        .describe("Name of the project, for reports")
        .meta({ examples: ["acme-support"] }),
      providers: z
        .record(
          z.string().regex(/^[^:\s]+$/, { error: "The name of a provider has no colon and no space" }),
          parts.provider,
        )
        .optional()
        .describe("Where models run. The known providers work by name, without an entry here")
        .meta({
          examples: [{ local: { type: "openai", base_url: "http://127.0.0.1:8080/v1", api_key_env: "LOCAL_KEY" } }],
        }),
      models: z.array(parts.model).optional().describe("The models that tests may name"),
      tools: z.array(parts.tool).optional().describe("Tools that several suites use: each names them in its own tools"),
      agents: agentsSchemaOf(parts.agentTool).optional(),
      skills: skillsSchema.optional(),
      defaults: defaultsSchemaOf(parts.assertion),
      ...settingKeys("config"),
      ...callKeys,
      timeouts: runTimeoutsSchema.optional(),
      limits: runLimitsSchema.optional(),
      gates: gatesSchema
        .optional()
        .describe("Conditions on the whole run")
        .meta({ examples: [{ pass_rate: 0.95, errored: 0 }] }),
      baseline: baselineSchema,
      plugins: pluginsSchema.optional(),
      extensions: z
        .array(z.string().min(1))
        .optional()
        .describe("Your modules that register assertion types, providers, targets, and reporters")
        .meta({ examples: [["./kindlm-extensions.ts"]] }),
      ...runKeys,
      upload: uploadSchema.optional(),
      suites: z
        .array(parts.suite)
        .min(1)
        .describe("The agents under test: suites, or paths and globs of files that hold one each")
        .meta({ examples: [["suites/*.yaml"]] }),
    },
    "config",
  );
}

/** As a load reads it: providers, models, suites and assertions are checked one by one. */
export const configSchema = configSchemaOf({
  provider: z.unknown(),
  model: z.unknown(),
  suite: z.unknown(),
  tool: z.unknown(),
  agentTool: z.unknown(),
  assertion: z.unknown(),
});

export type WrittenConfig = z.output<typeof configSchema>;
