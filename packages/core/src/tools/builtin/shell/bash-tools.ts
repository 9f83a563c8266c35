import { existsSync } from "node:fs";
import path from "node:path";
import type { HandlerOutcome } from "../../tool-handler.js";
import type { Desk } from "../builtin-session.js";
import { defineWorkspaceTool, refuse } from "../builtin-tool.js";
import type { BackgroundCommand } from "./background-commands.js";
import { CapturedOutput } from "./captured-output.js";

/** How long a command may take unless the model says otherwise; the deadline of the tool may come first. */
const usualTimeoutMs = 120_000;
const noTimeoutMs = 2 ** 31 - 1;

export const bashRun = defineWorkspaceTool({
  name: "bash_run",
  description:
    "Runs a command with bash in the workspace.\n\nPrefer fs_read, fs_edit and fs_grep for files. Whatever a command leaves running ends with it: to start a server or a watcher, set background, and read its output with bash_logs. Of long output the middle is left out.",
  params: {
    cmd: { type: "string", description: "The command, or several lines of them" },
    timeout_ms: {
      type: "integer",
      required: false,
      description: "Milliseconds after which it is ended (120000; none in the background)",
    },
    background: { type: "boolean", required: false, description: "Returns immediately, with an id for bash_logs" },
  },
  async run({ cmd, timeout_ms: timeoutMs, background = false }, desk, { signal }) {
    if (timeoutMs !== undefined && timeoutMs < 1) return refuse("timeout_ms must be at least 1");
    if (cmd.includes("\0")) return refuse("cmd must not contain a NUL character");
    const { commands, environment } = desk.workspace;
    const line = [findShell(environment["PATH"]), "-c", cmd] as const;
    const longestMs = Math.min(timeoutMs ?? (background ? noTimeoutMs : usualTimeoutMs), noTimeoutMs);
    if (background) {
      const { id } = desk.background.start(line, longestMs);
      return { ok: true, value: { ok: true, id } };
    }
    const output = { stdout: new CapturedOutput(), stderr: new CapturedOutput() };
    const ran = await commands.run({
      command: line,
      stdin: "",
      timeoutMs: longestMs,
      signal,
      graceMs: 0,
      observe: (stream, chunk) => output[stream].push(chunk),
    });
    if (!ran.success) return { ok: false, failure: { errorType: "runtime", message: ran.error.message } };
    const { exitCode, signal: endSignal, endedBy } = ran.data;
    // The time that it took would make each request after it another one than in a recording; the call has it.
    const value = {
      ok: exitCode === 0,
      exit_code: exitCode,
      signal: endSignal,
      stdout: output.stdout.text(),
      stderr: output.stderr.text(),
      truncated: output.stdout.isCut || output.stderr.isCut,
      ...(endedBy === "timeout" ? { timed_out: true } : {}),
    };
    return { ok: true, isWhole: true, value };
  },
});

const idParam = { type: "string", description: "The id that bash_run returned" } as const;

export const bashLogs = defineWorkspaceTool({
  name: "bash_logs",
  description:
    "Returns what a background command has written so far.\n\nTo read on, call it again with next_offset as offset.",
  params: {
    id: idParam,
    offset: { type: "integer", required: false, description: "Where to begin, in characters (0)" },
  },
  attributes: { readonly: true },
  async run({ id: asked, offset = 0 }, desk) {
    return withCommand(asked, desk, async ({ log, end }) => {
      const { output, nextOffset, truncated } = log.read(offset);
      return {
        running: end === null,
        exit_code: end?.exitCode ?? null,
        output,
        next_offset: nextOffset,
        truncated,
      };
    });
  },
});

export const bashKill = defineWorkspaceTool({
  name: "bash_kill",
  description: "Ends a background command and everything that it started.",
  params: { id: idParam },
  async run({ id: asked }, desk) {
    return withCommand(asked, desk, async (command) => {
      const { exitCode, signal } = await command.kill();
      return { exit_code: exitCode, signal };
    });
  },
});

async function withCommand(
  id: string,
  { background }: Desk,
  describe: (command: BackgroundCommand) => Promise<object>,
): Promise<HandlerOutcome> {
  const command = background.find(id);
  if (command !== undefined) return { ok: true, value: { ok: true, id, ...(await describe(command)) } };
  const { ids } = background;
  const known = ids.length === 0 ? "bash_run has started none" : `There is ${ids.join(", ")}`;
  return refuse(`Background command "${id}" not found. ${known}`);
}

/** The program that runs the lines of a model: bash, or where there is none, the shell of the system. */
function findShell(searchPath = "/usr/bin:/bin"): string {
  const places = ["/bin", "/usr/bin", ...searchPath.split(":").filter(path.isAbsolute)];
  return places.map((folder) => path.join(folder, "bash")).find((file) => existsSync(file)) ?? "/bin/sh";
}
