import * as z from "../../values/deferred-zod.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import type { ProgramSettings } from "../define-target.js";
import { noProxy, programKeys, proxySchema } from "../program/program-keys.js";
import { contradicting, tracesSchema } from "../traces/trace-settings.js";

export interface CommandTargetConfig extends ProgramSettings {
  kind: "command";
  /** Program and arguments, with placeholders. */
  command: readonly [string, ...string[]];
  /** The line is for a shell, as the only argument. */
  isShell: boolean;
  protocol: "plain" | "json_lines";
  env: Readonly<Record<string, string>>;
  cwd: string;
}

/** `target: { command: … }` */
export const commandTargetSchema = strictObject({
  command: z
    .union([z.tuple([z.string().min(1)], z.string()), z.string().min(1)])
    .describe("Program and arguments, started for the agent without a shell; {{input}} in one is the user's message")
    .meta({ examples: [["node", "agent.js"]] }),
  protocol: z
    .enum(["plain", "json_lines"])
    .optional()
    .describe("plain: the prompt on stdin, the answer on stdout; json_lines: messages, tool calls and usage (plain)"),
  shell: z
    .boolean()
    .optional()
    .describe("The command is one line for a shell; the message is on stdin and in KINDLM_INPUT"),
  env: z
    .record(z.string().regex(/^[^=\0]+$/), z.string())
    .optional()
    .describe("Environment variables for the program, in addition to KindLM's environment; ${NAME} reads that")
    .meta({ examples: [{ LOG_LEVEL: "debug" }] }),
  cwd: z.string().min(1).optional().describe("Folder it runs in, relative to the file (the folder of the file)"),
  ...programKeys("command"),
  proxy: proxySchema
    .optional()
    .describe("Sends the agent's model requests to the models of the test: its OPENAI_BASE_URL leads to KindLM"),
  traces: tracesSchema,
}).transform((written, context): CommandTargetConfig => {
  const {
    command,
    shell = false,
    protocol = "plain",
    env = {},
    cwd = ".",
    id = "command",
    proxy = noProxy,
    traces,
  } = written;
  const fail = (message: string): never => {
    context.addIssue({ code: "custom", path: ["command"], message });
    return z.NEVER;
  };
  if (typeof command === "string" && !shell) {
    return fail('"command" must be a list: the program and its arguments\nWrite [node, agent.js], or add shell: true');
  }
  if (typeof command !== "string" && shell) return fail('"command" must be one text with shell: true');
  if (typeof command === "string" && command.includes("{{")) {
    // What a model or a dataset says must never be read by a shell.
    return fail('A "command" for a shell takes no placeholders\nRead "$KINDLM_INPUT" or stdin, or write a list');
  }
  if (contradicting(traces, { proxy: proxy.proxy }) !== null) {
    return fail(
      '"proxy" cannot be combined with "traces": both say which requests the agent makes\nRemove one of them',
    );
  }
  const [program, ...args] = typeof command === "string" ? ["/bin/sh", "-c", command] : command;
  return {
    kind: "command",
    command: [program, ...args],
    isShell: shell,
    protocol,
    env,
    cwd,
    id,
    ...proxy,
    ...(traces === undefined ? {} : { traces }),
  };
});
