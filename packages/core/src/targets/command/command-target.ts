import { randomUUID } from "node:crypto";
import path from "node:path";
import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import { placeholdersIn, renderTemplate } from "../../values/template.js";
import { defineTarget, type TargetOpening } from "../define-target.js";
import type { OpenedGateway } from "../gateway/open-agent-gateway.js";
import {
  createHalt,
  ProgramSession,
  recorderOf,
  type Question,
  type ProgramAnswer,
  type ProgramExchange,
} from "../program/program-session.js";
import { stderrBytes, crashOf, startError, type CommandLine } from "../program/command-line.js";
import { commandTargetSchema, type CommandTargetConfig } from "./command-settings.js";
import { traceEnvironment } from "../traces/traceparent.js";
import { LinesExchange } from "./json-lines/lines-exchange.js";
import type { ProcessOutcome } from "../../processes/process-runner.js";
import { targetError } from "../program/target-error.js";

/** A program of any language, started for each trial or for each message. */
export const commandTarget = defineTarget<CommandTargetConfig>({
  kind: "command",
  key: "command",
  schema: commandTargetSchema,
  placeholders: ["input", "session", "system", "workspace"],
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
    const gateway = await openAgentGateway({ runs: () => config.runsTools }, opening, recorder, halt);
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
    const lateHint = 'The program must end each answer with {"type":"done"}. If it needs longer, raise timeouts.trial';
    return success(new ProgramSession(opening, recorder, halt, { ...exchange, close, lateHint }));
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
  gateway: OpenedGateway,
  session: string,
  question: Question | null,
): Result<CommandLine> {
  const input = question?.text ?? "";
  const values = {
    ...opening.scope,
    input,
    session,
    system: opening.system ?? "",
    workspace: opening.workspace?.root ?? "",
  };
  const { command: written, env: ownEnv, cwd } = config;
  const filled = renderTemplate({ command: written, env: ownEnv }, { values });
  if (!filled.success) {
    const name = filled.error[0]?.name ?? "";
    return failure(kindlmError("CONFIG_VALIDATION_ERROR", `Unknown placeholder {{${name}}} in the target`));
  }
  const [program, ...args] = filled.data.command;
  // In a workspace no file of the agent is found by its place, so they are named as the program is.
  const placeOf = (argument: unknown, index: number): string => {
    const isFile = opening.workspace !== null && isRelativeProgram(written[index + 1] ?? "");
    return isFile ? path.resolve(cwd, textOf(argument)) : textOf(argument);
  };
  const command = [textOf(program), ...args.map(placeOf)] as const;
  const env = {
    ...agentEnvironment({ ...config, env: textsOf(filled.data.env) }, opening, gateway, session),
    ...(config.isShell ? { KINDLM_INPUT: input } : {}),
    ...(question === null ? {} : { KINDLM_TURN: String(question.number) }),
  };
  const { timeouts, world } = opening;
  const base = {
    command,
    cwd: opening.workspace?.root ?? cwd,
    env,
    timeoutMs: timeouts.trialMs,
    stderrTailBytes: stderrBytes,
    // Nothing may change the files of the trial while they are compared.
    ...(opening.workspace === null ? {} : { endsStrays: true as const }),
  };
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

type Env = Readonly<Record<string, string | undefined>>;

/** What the program finds in its environment, over that of KindLM. Its own `env` of the config comes last. */
function agentEnvironment(
  config: CommandTargetConfig,
  opening: TargetOpening,
  gateway: OpenedGateway,
  session: string,
): Env {
  const { world, origin, system, route, workspace, traced } = opening;
  return {
    ...world.env,
    ...withoutProxy(world.env),
    KINDLM_CASE: origin.caseId,
    KINDLM_TRIAL: String(origin.trial),
    KINDLM_SEED: String(origin.seed),
    KINDLM_SESSION: session,
    KINDLM_WORKSPACE: workspace?.root,
    KINDLM_TOOLS_URL: `${gateway.url}/tools`,
    KINDLM_TOKEN: gateway.token,
    KINDLM_SYSTEM_PROMPT: system ?? undefined,
    ...(route === null
      ? {}
      : {
          KINDLM_BASE_URL: `${gateway.url}/v1`,
          KINDLM_MODEL: route[0].endpoint.model,
          ...gateway.environment,
        }),
    ...(traced === undefined ? {} : traceEnvironment(traced.trace.endpoint, traced.trace.nextTraceparent())),
    ...config.env,
  };
}

/** Where the user has an HTTP proxy, requests to KindLM itself must not go to it. */
function withoutProxy(env: Env): Env {
  const names = Object.keys(env).filter((name) => /^(https?|all)_proxy$/i.test(name) && env[name]);
  if (names.length === 0) return {};
  const spared = [env["NO_PROXY"] ?? env["no_proxy"], "127.0.0.1"].filter(Boolean).join(",");
  return { NO_PROXY: spared, no_proxy: spared };
}

/**
 * One process for each user message: the message on stdin unless the arguments hold it, the answer on stdout. A
 * conversation is the program's own to remember, by `KINDLM_SESSION`.
 */
function createPlainExchange(lineOf: (question: Question) => Result<CommandLine>): Omit<ProgramExchange, "restart"> {
  let stderr = "";
  return {
    async ask(question, signal) {
      const line = lineOf(question);
      if (!line.success) return line;
      const { run, command, hasInput } = line.data;
      const ran = await run({ stdin: hasInput ? "" : question.text, signal });
      if (!ran.success) return failure(startError(ran.error));
      stderr = ran.data.stderr;
      return decideAnswer(ran.data, command[0]);
    },
    close: async () => {},
    stderr: () => stderr,
    lateHint: "A plain program must exit after its answer. If it needs longer, raise timeouts.trial",
  };
}

/** An exit code other than 0 is data where there is an answer all the same, and a crash where there is none. */
function decideAnswer(outcome: ProcessOutcome, program: string): Result<ProgramAnswer> {
  if (outcome.endedBy === "output") {
    return failure(targetError("malformed_message", `${program} wrote more than 10 MiB`));
  }
  const text = outcome.stdout.trim();
  const { exitCode, stdout } = outcome;
  const isCrash = exitCode === null || (exitCode !== 0 && text === "");
  if (isCrash) return failure(crashOf(outcome, program, "before it answered"));
  const finishReason = exitCode === 0 ? "stop" : `exit_code_${exitCode}`;
  return success({ text, usage: null, costUsd: null, model: null, finishReason, exitCode, stdout });
}

/** An exchange that ends and starts again at a restart, for a program that lives as long as its conversation. */
function createRestartable(open: () => Omit<ProgramExchange, "restart">): ProgramExchange {
  let current = open();
  return {
    ask: (question, signal) => current.ask(question, signal),
    async restart() {
      await current.close();
      current = open();
    },
    close: () => current.close(),
    stderr: () => current.stderr(),
  };
}
