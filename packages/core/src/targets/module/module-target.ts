import * as z from "../../values/deferred-zod.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { trialStopped } from "../../errors/trial-stopped.js";
import type { ModuleFailure } from "../../modules/module-failure.js";
import { failure, success, type Result } from "../../result.js";
import { strictObject } from "../../schema-parts/strict-object.js";
import { defineTarget, type ProgramSettings, type TargetOpening } from "../define-target.js";
import type { AgentGateway } from "../gateway/create-gateway-server.js";
import {
  createHalt,
  ProgramSession,
  recorderOf,
  type Halt,
  type ProgramAnswer,
  type ProgramExchange,
} from "../program/program-session.js";
import type { Recorder } from "../program/recorder.js";
import { withoutMark, type Message } from "../../transcript/message.js";
import { noProxy, programKeys, proxySchema } from "../program/program-keys.js";
import { targetError } from "../program/target-error.js";
import { contradicting, tracesSchema } from "../traces/trace-settings.js";
import { jsonLimitOf } from "../../values/parse-json.js";
import { isRecord } from "../../values/json.js";
import { agentAction, clientsOf, forgetAgentAction, type AgentInput } from "./agent-action.js";
import type { AgentToolOutcome } from "./define-agent.js";
import { readAgentAnswer } from "./read-agent-answer.js";

export interface ModuleTargetConfig extends ProgramSettings {
  kind: "module";
  /** As it is written, or absolute. */
  file: string;
  exportName: string;
  with: unknown;
}

/** `target: { module: … }` */
const moduleTargetSchema = strictObject({
  module: z
    .string()
    .min(1)
    .describe("File and export of a function run(input, ctx), such as ./agent.ts#run; without # its default export")
    .meta({ examples: ["./agent.ts#run"] }),
  with: z.unknown().optional().describe("Handed to the function as ctx.options"),
  ...programKeys("module"),
  proxy: proxySchema.optional().describe("Gives the function addresses for its model requests, such as ctx.openai"),
  traces: tracesSchema,
}).transform((written, context): ModuleTargetConfig => {
  const hash = written.module.lastIndexOf("#");
  const file = hash === -1 ? written.module : written.module.slice(0, hash);
  const exportName = hash === -1 ? "default" : written.module.slice(hash + 1) || "default";
  const { id = "module", proxy = noProxy, traces } = written;
  if (contradicting(traces, { proxy: proxy.proxy }) !== null) {
    const message =
      '"proxy" cannot be combined with "traces": both say which requests the agent makes\nRemove one of them';
    context.addIssue({ code: "custom", path: ["proxy"], message });
    return z.NEVER;
  }
  const own = traces === undefined ? {} : { traces };
  return { kind: "module", file, exportName, with: written.with, id, ...proxy, ...own };
});

/** A function of one's own, in the worker of the user's modules. */
export const moduleTarget = defineTarget<ModuleTargetConfig>({
  kind: "module",
  key: "module",
  schema: moduleTargetSchema,
  placeholders: [],
  files: ({ file }) => [{ file, path: ["module"] }],
  resolvePaths: (config, resolve) => ({ ...config, file: resolve(config.file) }),
  refuses: () => null,
  async open(config, opening) {
    const halt = createHalt();
    const recorder = recorderOf(opening, halt);
    const gateway = await openGateway(config, opening, recorder, halt);
    if (!gateway.success) return gateway;
    const exchange = createModuleExchange(config, opening, recorder, gateway.data);
    return success(new ProgramSession(opening, recorder, halt, exchange));
  },
});

let conversations = 0;
const withoutMarks = (one: Message): Message => (one.role === "user" ? withoutMark(one) : one);

function createModuleExchange(
  config: ModuleTargetConfig,
  opening: TargetOpening,
  recorder: Recorder,
  gateway: AgentGateway | null,
): ProgramExchange {
  const { tools, system, world, workspace, traced } = opening;
  const { file, exportName } = config;
  const name = `${exportName} of ${file}`;
  const place = { file, exportName, what: `agent ${file}#${exportName}`, isRepeatable: false };
  const nextConversation = (): string => `${(conversations += 1)}`;
  let conversation = nextConversation();
  let hasBegun = false;
  const forget = (): void => {
    if (!hasBegun) return;
    const { signal } = new AbortController();
    void world.modules.call({ ...place, action: forgetAgentAction, input: { conversation }, signal });
    conversation = nextConversation();
    hasBegun = false;
  };
  const callTool = async (asked: unknown, signal: AbortSignal): Promise<AgentToolOutcome> => {
    const { tool, args, limit } = isRecord(asked) ? asked : {};
    const beyond = typeof limit === "string" ? limit : undefined;
    const { outcome, content } = await recorder.invoke(String(tool), args ?? {}, signal, { limit: beyond });
    return outcome.ok ? { ...outcome, content } : { ok: false, error: outcome.failure, content };
  };
  return {
    async ask({ message, text, number }, signal) {
      const { messages } = recorder.transcript;
      const input: AgentInput = {
        input: text,
        conversation,
        hasBegun,
        options: config.with,
        message: message === null ? null : withoutMark(message),
        history: (message === null ? messages : messages.slice(0, -1)).map(withoutMarks),
        system,
        workspace: workspace?.root ?? null,
        userTurn: number,
        definitions: tools.definitions,
        ...connectionsOf(gateway, traced),
      };
      hasBegun = true;
      const onAsk = (asked: unknown): Promise<AgentToolOutcome> => callTool(asked, signal);
      const asking = world.modules.call({ ...place, action: agentAction, input, signal, onAsk });
      const returned = await untilAborted(asking, signal);
      if (returned === null) return failure(trialStopped());
      if (!returned.success) return failure(errorOf(returned.error, name));
      return answerOf(returned.data, name, number, recorder);
    },
    async restart() {
      forget();
    },
    async close() {
      forget();
      gateway?.close();
    },
    stderr: () => "",
  };
}

function errorOf({ how, message, cause }: ModuleFailure, name: string): KindlmError {
  switch (how) {
    case "missing":
      return targetError("not_found", message, cause);
    case "unfit":
      return targetError("not_found", `${name} ${message}`);
    case "threw":
      return targetError("unexpected", `${name} threw: ${message}`, cause);
    case "ended":
      return targetError("unexpected", `${name} ${message}`);
    case "swept":
      return kindlmError("ENGINE_FIXTURE_ERROR", `${name} ${message}`);
  }
}

function answerOf(returned: unknown, name: string, number: number, recorder: Recorder): Result<ProgramAnswer> {
  const limit = jsonLimitOf(returned);
  const read = limit === null ? readAgentAnswer(returned) : failure(`it is ${limit}`);
  if (!read.success)
    return failure(targetError("malformed_message", `The result of ${name} is not an answer: ${read.error}`));
  const { text, toolCalls = [], usage, costUsd, model, finishReason, agent } = read.data;
  for (const [index, { tool, args, result, error, agent: by = agent }] of toolCalls.entries()) {
    const told = { errorType: "runtime", message: error ?? "", retryable: true } as const;
    const call = { id: `reported_${number}_${index}`, tool, args: args ?? {} };
    recorder.addCall(call, error === undefined ? { ok: true, value: result } : { ok: false, failure: told }, by);
  }
  return success({
    text,
    usage: usage ?? null,
    costUsd: costUsd ?? null,
    model: model ?? null,
    finishReason: finishReason ?? "stop",
    ...(agent === undefined ? {} : { agent }),
  });
}

/** Null when the signal aborts first; what goes on after that is left behind. */
function untilAborted<T>(asking: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(null);
    const onAbort = (): void => resolve(null);
    signal.addEventListener("abort", onAbort, { once: true });
    void asking.then((outcome) => {
      signal.removeEventListener("abort", onAbort);
      resolve(outcome);
    });
  });
}

function connectionsOf(gateway: AgentGateway | null, traced: TargetOpening["traced"]) {
  const trace =
    traced === undefined ? null : { traceparent: traced.trace.nextTraceparent(), endpoint: traced.trace.endpoint };
  return { ...clientsOf(gateway), trace };
}

/** A function calls the tools itself; only for models it needs an address. */
async function openGateway(
  config: ModuleTargetConfig,
  opening: TargetOpening,
  recorder: Recorder,
  halt: Halt,
): Promise<Result<AgentGateway | null>> {
  if (opening.route === null) return success(null);
  const { openAgentGateway } = await import("../gateway/open-agent-gateway.js");
  return openAgentGateway({ runs: () => config.runsTools }, opening, recorder, halt);
}
