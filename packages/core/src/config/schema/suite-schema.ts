import * as z from "../../values/deferred-zod.js";
import { modelParamsSchema } from "../../providers/model-params-schema.js";
import { excludes, needsOneOf, requireKeys, when } from "../../schema-parts/key-rules.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { faultsSchema } from "../../tools/faults/fault.js";
import { mcpServersSchema } from "../../tools/mcp/mcp-server-schema.js";
import { onToolErrorSchema } from "../../tools/on-tool-error-schema.js";
import { agentsSchemaOf, subagentsSchema } from "../../tools/builtin/task/agents-schema.js";
import { skillsSchema } from "../../tools/builtin/skills/skills-schema.js";
import { toolSchema } from "../../tools/tool-schema.js";
import { targetSchema } from "../../targets/registry.js";
import { armsSchema } from "./arms-schema.js";
import { datasetSchema } from "./dataset-schema.js";
import { gatesSchema } from "../../gates/gates-schema.js";
import { settingKeys } from "../settings/test-settings.js";
import { simulatedUserSchema } from "./simulated-user-schema.js";
import { conversationSchema, inputSchema, messagesSchema } from "./input-schema.js";
import { retryUntilSchema } from "./retry-until-schema.js";
import {
  assertListSchema,
  embedderSchema,
  judgeSchema,
  modelNamesSchema,
  nameSchema,
  passSchema,
  runsSchema,
  testLimitsSchema,
  testTimeoutsSchema,
} from "./settings-schema.js";
import { workspaceSchema } from "../../workspace/workspace-schema.js";
import type { JsonObject, JsonValue } from "../../values/json.js";

/** `state:` of a suite or test. */
const stateSchema = z
  .record(
    z.string().regex(/^[^{}.]+$/, { error: "The name of a state must not hold . { or }" }),
    z.custom<JsonValue>((value) => value !== undefined),
  )
  .describe("What simulated tools share in a trial, at its start; they read {{state.x}} and change it with `set`")
  .meta({ examples: [{ cancelled: false, orders: { "ORD-1": { status: "open" } } }] });

/** For editors: an MCP server as the target of a suite. */
const callsServer = {
  type: "object",
  ...requireKeys("target"),
  properties: { target: { description: "An MCP server", type: "object", ...requireKeys("mcp") } },
};

/** For editors: a test without its own target says something. A misspelled key is the one mistake that is shown. */
function needsInput(keys: readonly string[]): JsonObject {
  const condition = { propertyNames: { enum: [...keys] } };
  const rule = needsOneOf(condition, "input", "messages", "conversation", "simulated_user", "target");
  return { tests: { description: "Its tests", type: "array", items: { type: "object", ...rule } } };
}

/** Keys that a suite and its tests share. */
function sharedKeys(assertion: z.ZodType<unknown>) {
  return {
    models: modelNamesSchema.optional(),
    judge: judgeSchema.optional(),
    embedder: embedderSchema.optional(),
    runs: runsSchema.optional(),
    pass: passSchema.optional(),
    assert: assertListSchema(assertion).optional(),
    limits: testLimitsSchema.optional(),
    timeouts: testTimeoutsSchema.optional(),
    mcp_servers: mcpServersSchema.optional(),
    on_tool_error: onToolErrorSchema.optional(),
    faults: faultsSchema.optional(),
    state: stateSchema.optional(),
    target: targetSchema.optional(),
    workspace: workspaceSchema.optional(),
    skills: skillsSchema.optional(),
  };
}

function testSchemaOf(assertion: z.ZodType<unknown>) {
  return strictObject(
    {
      name: nameSchema.describe("Name of the test, unique in its suite").meta({ examples: ["happy-path"] }),
      input: inputSchema.optional(),
      messages: messagesSchema.optional(),
      conversation: conversationSchema(assertion).optional(),
      simulated_user: simulatedUserSchema.optional(),
      retry_until: retryUntilSchema(assertion).optional(),
      dataset: datasetSchema.optional(),
      rows: z
        .array(z.record(z.string(), z.unknown()))
        .min(1)
        .optional()
        .describe("A dataset written in place; one case per row")
        .meta({ examples: [[{ id: "lisbon", city: "Lisbon" }]] }),
      ...sharedKeys(assertion),
      params: modelParamsSchema
        .optional()
        .describe("Parameters of the requests; those of a test win over those of its model")
        .meta({ examples: [{ temperature: 0, max_tokens: 1024 }] }),
      ...settingKeys("test"),
      // For editors; loading a config reports it in other words.
    },
    "test",
  ).meta({
    dependencies: excludes({
      messages: ["input"],
      conversation: ["input", "messages", "simulated_user"],
      rows: ["dataset"],
    }),
  });
}

const promptKeys = {
  system_prompt: z
    .string()
    .optional()
    .describe("The agent's system prompt; may hold {{placeholders}}")
    .meta({ examples: ["You help customers of a web shop."] }),
  system_prompt_file: z
    .string()
    .min(1)
    .optional()
    .describe("A file that holds the system prompt")
    .meta({ examples: ["prompts/order.md"] }),
};

/** `suites:` entry, or the whole of a suite file. `assertion` stands for each entry of the `assert` lists. */
export function suiteSchemaOf<Tool, AgentTool>(
  assertion: z.ZodType<unknown>,
  tool: z.ZodType<Tool>,
  agentTool: z.ZodType<AgentTool>,
) {
  const test = testSchemaOf(assertion);
  return strictObject(
    {
      name: nameSchema.describe("Name of the suite, unique in the run").meta({ examples: ["order-agent"] }),
      ...promptKeys,
      prompts: z
        .array(strictObject({ id: nameSchema.describe("Name of the variant, in the ids of its cases"), ...promptKeys }))
        .min(1)
        .optional()
        .describe("Variants of the system prompt; every test runs with each of them")
        .meta({ examples: [[{ id: "short", system_prompt: "Be brief." }]] }),
      tools: z
        .array(tool)
        .optional()
        .describe(
          "The tools that the agent may call: names of tools at the top, simulated tools, and those of modules, commands and HTTP services",
        ),
      agents: agentsSchemaOf(agentTool).optional(),
      subagents: subagentsSchema.optional().describe("Where the delegation of the agent under test ends"),
      tests: z.array(test).min(1).describe("The situations to put the agent in"),
      gates: gatesSchema
        .optional()
        .describe("Conditions on this suite alone, in addition to those on the whole run")
        .meta({ examples: [{ pass_rate: 0.95, errored: 0 }] }),
      arms: armsSchema.optional(),
      ...sharedKeys(assertion),
      ...settingKeys("suite"),
    },
    "suite",
  ).meta({ allOf: [when({ not: callsServer }, { properties: needsInput(Object.keys(test.shape)) })] });
}

/** Assertions are parsed separately, each with the path of its problems. */
export const suiteSchema = suiteSchemaOf(z.unknown(), toolSchema, z.unknown());

export type WrittenSuite = z.output<typeof suiteSchema>;
export type WrittenTest = WrittenSuite["tests"][number];
