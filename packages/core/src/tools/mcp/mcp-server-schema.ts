import * as z from "../../values/deferred-zod.js";
import { deadlineSchema } from "../../schema-parts/duration-schema.js";
import { excludes, needsOneOf } from "../../schema-parts/key-rules.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { toolGlob } from "../../schema-parts/tool-glob.js";
import { addedEnvSchema, commandLineSchema } from "../program-schema.js";
import { namedFallbackSchema } from "../fallback-schema.js";
import type { McpServerConfig } from "../tool-config.js";

const globs = z.array(toolGlob).min(1);

/** One entry of `mcp_servers:`. */
export const mcpServerSchema = strictObject({
  name: z
    .string()
    .min(1)
    .describe("Name of the server, in messages")
    .meta({ examples: ["files"] }),
  command: commandLineSchema
    .optional()
    .describe("Starts a server that speaks over stdin and stdout: program and arguments, without a shell")
    .meta({ examples: [["npx", "-y", "@modelcontextprotocol/server-filesystem", "./data"]] }),
  cwd: z.string().min(1).optional().describe("Folder in which the server runs; default is that of the config file"),
  env: addedEnvSchema.optional(),
  url: z
    .string()
    .min(1)
    .optional()
    .describe("Address of a server that speaks streamable HTTP; ${NAME} reads the environment")
    .meta({ examples: ["http://127.0.0.1:3001/mcp"] }),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe("Headers of every request to it; ${NAME} reads the environment")
    .meta({ examples: [{ authorization: "Bearer ${MCP_TOKEN}" }] }),
  include: globs
    .optional()
    .describe("Names of the tools to take; * and ? stand for any text and any character. Default: all")
    .meta({ examples: [["read_*", "list_*"]] }),
  exclude: globs
    .optional()
    .describe("Names of tools to leave out, also of those that `include` takes")
    .meta({ examples: [["write_*"]] }),
  per: z
    .enum(["trial", "run"])
    .optional()
    .describe("How long one server lives: each trial starts its own (default), or the run has one for all trials"),
  timeout: deadlineSchema.optional().describe("How long a call of its tools may take; default is timeouts.tool"),
  fallback: z
    .array(namedFallbackSchema)
    .min(1)
    .optional()
    .describe("What answers when its tools are down; the first entry whose name or glob fits the tool counts")
    .meta({ examples: [[{ tool: "read_*", return: "" }]] }),
})
  .meta({
    allOf: [needsOneOf({}, "command", "url")],
    dependencies: excludes({ url: ["command", "cwd", "env"], command: ["headers"] }),
  })
  .transform((written, context): McpServerConfig => {
    const { name, command, url, timeout, per = "trial", include = ["*"], exclude = [], fallback = [] } = written;
    const common = { name, include, exclude, per, timeoutMs: timeout ?? null, fallbacks: fallback };
    if (command !== undefined && url === undefined) {
      refuse(context, written.headers, "headers", "command");
      const { cwd = ".", env = {} } = written;
      return { ...common, connection: { kind: "stdio", command, cwd, env } };
    }
    if (url !== undefined && command === undefined) {
      refuse(context, written.cwd, "cwd", "url");
      refuse(context, written.env, "env", "url");
      return { ...common, connection: { kind: "http", url, headers: written.headers ?? {} } };
    }
    const message =
      command === undefined
        ? 'An MCP server needs "command" or "url"\nUse command for a program, url for a server that runs already'
        : '"command" and "url" cannot be combined\nAn MCP server is started by KindLM or runs already';
    const path = command === undefined ? ["name"] : ["url"];
    context.addIssue({ code: "custom", message, path, params: { atKey: true } });
    return z.NEVER;
  });

function refuse(context: z.RefinementCtx, value: unknown, key: string, beside: string): void {
  if (value === undefined) return;
  const message = `"${key}" says nothing about a server with "${beside}"\nRemove one of the two`;
  context.addIssue({ code: "custom", message, path: [key], params: { atKey: true } });
}

/** `mcp_servers:` of a suite or test. */
export const mcpServersSchema = z
  .array(mcpServerSchema)
  .min(1)
  .describe("MCP servers whose tools the agent may call; a test's own come after those of its suite");
