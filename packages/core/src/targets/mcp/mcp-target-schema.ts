import * as z from "../../values/deferred-zod.js";
import { excludes } from "../../schema-parts/key-rules.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { DirectCall, McpList } from "../../tools/mcp/direct-call.js";
import type { ProgramSettings } from "../define-target.js";
import { programKeys } from "../program/program-keys.js";

export interface McpTargetConfig extends ProgramSettings {
  kind: "mcp";
  /** Name of the entry of `mcp_servers`. */
  server: string;
  /** What is tested. Its strings may hold placeholders. */
  call: DirectCall;
  /** What is called first, over the same connection. */
  before: readonly Extract<DirectCall, { kind: "tool" }>[];
  /** Whether tools are called that the server does not list. */
  isUnlisted: boolean;
}

/** The calls of a test in their order, the tested one last. */
export function callsOf({ before, call }: McpTargetConfig): readonly DirectCall[] {
  return [...before, call];
}

const listNames = ["tools", "resources", "resource_templates", "prompts"] as const satisfies readonly McpList[];

const toolKey = z.string().min(1);
const argsKey = z
  .record(z.string(), z.unknown())
  .describe("Arguments, sent as they are, also if they break the schema; may hold {{placeholders}}")
  .meta({ examples: [{ path: "notes/{{file}}" }] });

/** `target: { mcp: … }` */
export const mcpTargetSchema = strictObject({
  mcp: z
    .string()
    .min(1)
    .describe("Name of the server in mcp_servers of the test or its suite")
    .meta({ examples: ["files"] }),
  tool: toolKey
    .optional()
    .describe("The tool that is called")
    .meta({ examples: ["read_text_file"] }),
  args: argsKey.optional(),
  resource: z
    .string()
    .min(1)
    .optional()
    .describe("URI of the resource that is read; may hold {{placeholders}}")
    .meta({ examples: ["demo://resource/static/document/features.md"] }),
  prompt: z
    .string()
    .min(1)
    .optional()
    .describe("The prompt that is fetched, with `args`")
    .meta({ examples: ["summarize"] }),
  list: z
    .enum(listNames)
    .optional()
    .describe("What the server is asked to list. Default, without tool, resource and prompt: tools"),
  before: z
    .array(strictObject({ tool: toolKey.describe("The tool that is called"), args: argsKey.optional() }))
    .min(1)
    .optional()
    .describe("Calls that are made first, over the same connection; one that fails makes the trial errored")
    .meta({ examples: [[{ tool: "create_entities", args: { entities: [] } }]] }),
  unlisted: z
    .boolean()
    .optional()
    .describe("Calls tools that the server does not list, to test how it rejects them. Default: false."),
  ...programKeys("mcp"),
})
  .meta({
    dependencies: {
      ...excludes({ resource: ["tool", "args"], prompt: ["tool", "resource"], list: ["tool", "resource", "prompt"] }),
    },
  })
  .superRefine((written, context) => {
    const { tool, resource, prompt, list, args } = written;
    const asked = Object.entries({ tool, resource, prompt, list }).flatMap(([key, value]) =>
      value === undefined ? [] : key,
    );
    const [first, second] = asked;
    const refuse = (key: string, message: string): void =>
      context.addIssue({ code: "custom", message, path: [key], params: { atKey: true } });
    if (second !== undefined) refuse(second, `"${second}" and "${first}" cannot be combined\nWrite one test for each`);
    if (args !== undefined && tool === undefined && prompt === undefined) {
      refuse("args", '"args" has no effect without "tool" or "prompt"\nAdd tool: with the tool that takes them');
    }
  })
  .transform((written): McpTargetConfig => {
    const { mcp: server, before = [], unlisted: isUnlisted = false, id = "mcp" } = written;
    return {
      kind: "mcp",
      server,
      call: callOf(written),
      before: before.map(({ tool: name, args = {} }) => ({ kind: "tool", name, args })),
      isUnlisted,
      id,
      proxy: false,
      runsTools: false,
    };
  });

interface WrittenCall {
  tool?: string | undefined;
  resource?: string | undefined;
  prompt?: string | undefined;
  args?: Record<string, unknown> | undefined;
  list?: McpList | undefined;
}

function callOf({ tool, resource, prompt, args = {}, list = "tools" }: WrittenCall): DirectCall {
  if (tool !== undefined) return { kind: "tool", name: tool, args };
  if (resource !== undefined) return { kind: "resource", uri: resource };
  return prompt === undefined ? { kind: "list", list } : { kind: "prompt", name: prompt, args };
}
