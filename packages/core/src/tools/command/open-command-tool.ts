import type { ProcessOutcome } from "../../processes/process-runner.js";
import { success, type Result } from "../../result.js";
import { isRecord } from "../../values/json.js";
import type { CommandToolConfig, OpenTool } from "../tool-config.js";
import type { HandlerOutcome } from "../tool-handler.js";
import { lastWords } from "../last-words.js";
import { parseOutput } from "../parse-output.js";
import type { ToolPorts } from "../tool-ports.js";

/** The runtime ends a call at its deadline; the runner's own is never the first. */
const noDeadlineMs = 2 ** 31 - 1;

/**
 * A tool that is a program: it gets the arguments as one line of JSON on stdin, its tool's name in `KINDLM_TOOL`, the folder of the
 * trial in `KINDLM_WORKSPACE`, and prints its result on stdout, as JSON or as text.
 */
export function openCommandTool(
  config: CommandToolConfig,
  { processes, env, workspace }: Pick<ToolPorts, "processes" | "env" | "workspace">,
): Result<readonly OpenTool[]> {
  const { kind: _kind, command, cwd, env: added, ...settings } = config;
  const environment = { ...env, ...added, KINDLM_TOOL: config.name, KINDLM_WORKSPACE: workspace?.root };
  const tool: OpenTool = {
    ...settings,
    kind: "open",
    createHandler: () => ({
      async execute(args, { signal }) {
        const stdin = `${JSON.stringify(args ?? {})}\n`;
        const request = { command, cwd, env: environment, stdin, timeoutMs: noDeadlineMs, signal };
        const ran = await processes.run(request);
        if (ran.success) return toOutcome(ran.data, command[0]);
        return { ok: false, failure: { errorType: "runtime", message: ran.error.message } };
      },
    }),
  };
  return success([tool]);
}

function toOutcome({ exitCode, signal, endedBy, stdout, stderr }: ProcessOutcome, program: string): HandlerOutcome {
  if (endedBy === "output") {
    return { ok: false, failure: { errorType: "runtime", message: `${program} wrote more than 10 MiB` } };
  }
  if (endedBy !== null) return { ok: false, failure: { errorType: "aborted", message: `${program} was interrupted` } };
  const output = parseOutput(stdout);
  if (!output.success) {
    return {
      ok: false,
      failure: { errorType: "runtime", message: `${program} printed a result that is ${output.error}` },
    };
  }
  const printed = output.data;
  // A program that says in the result's own terms what went wrong says it best.
  if (exitCode === 0 || (isRecord(printed) && printed["ok"] === false)) return { ok: true, value: printed };
  const said = lastWords(stderr) || lastWords(stdout);
  const tail = said === "" ? "" : `: ${said}`;
  if (exitCode === null) {
    const message = `${program} was ended by ${signal ?? "a signal"}${tail}`;
    return { ok: false, failure: { errorType: "runtime", message } };
  }
  const message = `${program} ended with exit code ${exitCode}${tail}`;
  return { ok: false, failure: { errorType: "logical", message } };
}
