import { randomUUID } from "node:crypto";
import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import { placeholdersIn, renderTemplate } from "../../values/template.js";
import { defineTarget, type TargetOpening } from "../define-target.js";
import type { AgentGateway } from "../gateway/create-gateway-server.js";
import { createHalt, ProgramSession, recorderOf, type Question } from "../program/program-session.js";
import { createRestartable } from "../program/create-restartable.js";
import { stderrBytes, type CommandLine } from "./command-line.js";
import { agentEnvironment } from "./agent-environment.js";
import { commandTargetSchema, type CommandTargetConfig } from "./command-settings.js";
import { LinesExchange } from "./json-lines/lines-exchange.js";
import { createPlainExchange } from "./create-plain-exchange.js";

/** A program of any language, started for each trial or for each message. */
export const commandTarget = defineTarget<CommandTargetConfig>({
  kind: "command",
  key: "command",
  schema: commandTargetSchema,
  placeholders: ["input", "session", "system"],
  files: ({ command: [program], cwd }) => [
    ...(isRelativeProgram(program) ? [{ file: program, path: ["command", 0] }] : []),
    ...(cwd === "." ? [] : [{ file: cwd, path: ["cwd"] }]),
  ],
  resolvePaths: (config, resolve) => {
    const [program, ...args] = config.command;
    // A program named by a relative path is relative to the config, not to the folder in which KindLM was started.
    const started = isRelativeProgram(program) ? resolve(program) : program;
    return { ...config, command: [started, ...args], cwd: resolve(config.cwd) };
  },
  refuses({ protocol, command }, { hasHistory, hasImages, endsWithUser }) {
    if (protocol === "json_lines") {
      return holdsInput(command) ? "A program that talks in JSON lines gets the message there, not in {{input}}" : null;
    }
    if (hasHistory || !endsWithUser) return "A plain program takes the user's message only, no history";
    return hasImages ? "A plain program takes text only, no images" : null;
  },
  async open(config, opening) {
    const halt = createHalt();
    const recorder = recorderOf(opening, halt);
    // What agents ask of models is read by schemas that most runs have no use for.
    const { openAgentGateway } = await import("../gateway/open-agent-gateway.js");
    const gateway = await openAgentGateway(config, opening, recorder, halt);
    if (!gateway.success) return gateway;
    let session = randomUUID();
    const lineOf = (question: Question | null): Result<CommandLine> =>
      commandLine(config, opening, gateway.data, session, question);
    if (config.protocol === "plain") {
      const exchange = createPlainExchange(lineOf);
      const restart = async (): Promise<void> => {
        session = randomUUID();
      };
      const closed = { ...exchange, restart, close: async () => gateway.data.close() };
      return success(new ProgramSession(opening, recorder, halt, closed));
    }
    const line = lineOf(null);
    if (!line.success) return line;
    const exchange = createRestartable(() => {
      session = randomUUID();
      const named = lineOf(null);
      return new LinesExchange(named.success ? named.data : line.data, session, opening, recorder);
    });
    const close = async (): Promise<void> => {
      await exchange.close();
      gateway.data.close();
    };
    return success(new ProgramSession(opening, recorder, halt, { ...exchange, close }));
  },
});

function isRelativeProgram(program: string): boolean {
  return /^\.{1,2}[\\/]/.test(program);
}

function holdsInput(command: readonly string[]): boolean {
  return placeholdersIn(command).some(({ name }) => name === "input");
}

function commandLine(
  config: CommandTargetConfig,
  opening: TargetOpening,
  gateway: AgentGateway,
  session: string,
  question: Question | null,
): Result<CommandLine> {
  const input = question?.text ?? "";
  const values = { ...opening.scope, input, session, system: opening.system ?? "" };
  const { command: written, env: ownEnv, cwd } = config;
  const filled = renderTemplate({ command: written, env: ownEnv }, { values });
  if (!filled.success) {
    const name = filled.error[0]?.name ?? "";
    return failure(kindlmError("CONFIG_VALIDATION_ERROR", `Unknown placeholder {{${name}}} in the target`));
  }
  const [program, ...args] = filled.data.command;
  const command = [textOf(program), ...args.map(textOf)] as const;
  const env = {
    ...agentEnvironment({ ...config, env: textsOf(filled.data.env) }, opening, gateway, session),
    ...(config.isShell ? { KINDLM_INPUT: input } : {}),
    ...(question === null ? {} : { KINDLM_TURN: String(question.number) }),
  };
  const { timeouts, world } = opening;
  const base = { command, cwd, env, timeoutMs: timeouts.trialMs, stderrTailBytes: stderrBytes };
  return success({
    command,
    hasInput: holdsInput(written),
    run: (talk) => world.processes.run({ ...base, ...talk }),
  });
}

/** A string that is only a placeholder keeps the type of its value elsewhere; arguments are strings. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function textsOf(values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, textOf(value)]));
}
