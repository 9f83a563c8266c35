import { strictObject } from "../../../schema-parts/strict-object.js";
import * as z from "../../../values/deferred-zod.js";

const templateId = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,128}$/, { error: '"id" of an agent may hold letters, digits, _ . and - only' });

/** `subagents:` of a suite, for the agent under test, and of a template. */
export const subagentsSchema = strictObject({
  depth: z.int().min(0).optional().describe("How many levels of sub-agents there may be below it"),
  templates: z.array(templateId).optional().describe("IDs of the templates that it may choose from; all if left out"),
})
  .describe("Where delegation ends")
  .meta({ examples: [{ depth: 1, templates: ["researcher"] }] });

export type WrittenSubagents = z.output<typeof subagentsSchema>;

/** `agents:` of a suite, and of the top level. `tool` stands for each entry of `tools`. */
export function agentsSchemaOf<Tool>(tool: z.ZodType<Tool>) {
  const agent = strictObject({
    id: templateId.describe("Name of the template, as the agent writes it in agentTemplateId"),
    system: z.string().min(1).describe("System prompt of the sub-agent; may hold {{placeholders}}"),
    when_to_use: z.string().min(1).optional().describe("When to choose it, as the agent reads it"),
    tools: z
      .array(tool)
      .optional()
      .describe(
        "Its tools, written like those of a suite; a name may be that of a tool of the suite, and a name or glob that of tools of its MCP servers",
      ),
    model: z
      .union([
        z.string().min(1),
        strictObject({
          provider: z.string().min(1).describe("Name of the provider"),
          model: z.string().min(1).describe("Name of the model, as the provider has it"),
        }),
      ])
      .optional()
      .describe("Its model: an ID, provider:model, or both apart; that of the agent which delegates if left out"),
    subagents: subagentsSchema.optional(),
  });
  return z
    .array(agent)
    .min(1)
    .describe("Templates of the sub-agents that the tool `task_run` delegates to")
    .meta({ examples: [[{ id: "researcher", system: "Find the facts.", when_to_use: "Facts are needed" }]] });
}

export type WrittenAgents = z.output<ReturnType<typeof agentsSchemaOf<unknown>>>;
