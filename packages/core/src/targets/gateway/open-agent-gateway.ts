import { success, type Result } from "../../result.js";
import type { ProgramSettings, TargetOpening } from "../define-target.js";
import type { Recorder } from "../program/recorder.js";
import type { Halt } from "../program/program-session.js";
import {
  errorReply,
  type AgentGateway,
  type GatewayHandler,
  type GatewayReply,
  type GatewayRequest,
} from "./create-gateway-server.js";
import { serveChat } from "./chat/serve-chat.js";
import { createResponseMemory, serveResponses } from "./responses/serve-responses.js";
import { RoutedModel, type ModelService } from "./serve-model.js";
import { attemptSync } from "../../errors/boundary.js";
import type { ToolRuntime } from "../../tools/tool-runtime.js";
import type { ToolErrorType } from "../../transcript/tool-failure.js";
import { describeJsonProblem, parseJson } from "../../values/parse-json.js";
import type { ProviderResponse } from "../../providers/provider.js";
import { runInOrder } from "../../tools/run-in-order.js";
import type { AssistantMessage, Message, RequestedToolCall, ToolMessage } from "../../transcript/message.js";
import type { TurnRecord } from "../../transcript/turn.js";
import type { AgentRequest } from "./agent-request.js";

/** So that a tool which asks over HTTP meets what it would meet of a server: `response.ok` is false. */
const statusByType: Readonly<Record<ToolErrorType, number>> = {
  validation: 400,
  logical: 422,
  runtime: 500,
  exception: 500,
  aborted: 504,
};

const prefix = "/tools";

const json = { "content-type": "application/json" };

/** Lets the agent of a trial in: to the tools of its test, and to the models when its requests go through KindLM. */
export function openAgentGateway(
  { runsTools }: ProgramSettings,
  opening: TargetOpening,
  recorder: Recorder,
  halt: Halt,
): Promise<Result<AgentGateway>> {
  const { route, tools, world, clock } = opening;
  const models = route === null ? null : new RoutedModel(route, opening, recorder, halt);
  const service = models === null || !runsTools ? models : runToolsHere(models, tools, recorder);
  const memory = createResponseMemory();
  const handler: GatewayHandler = async (request) => {
    const { method, path } = request;
    const served = await serveTools(request, tools, recorder);
    if (served !== null) return served;
    if (service !== null && path === "/v1/models" && method === "GET")
      return modelList(route?.[0].endpoint.model ?? "");
    if (service !== null && path === "/v1/chat/completions" && method === "POST") {
      return serveChat(request, service, recorder, clock);
    }
    if (service !== null && path === "/v1/responses" && method === "POST") {
      return serveResponses(request, service, recorder, memory, clock);
    }
    const offered =
      service === null
        ? "GET /tools and POST /tools/<name>"
        : "POST /v1/chat/completions, POST /v1/responses and /tools";
    return errorReply(404, "not_found", `KindLM does not serve ${method} ${path}; it serves ${offered}`);
  };
  return world.gateway.open(handler);
}

function modelList(id: string) {
  const body = JSON.stringify({ object: "list", data: [{ id, object: "model", created: 0, owned_by: "kindlm" }] });
  return { status: 200, headers: { "content-type": "application/json" }, body };
}

/**
 * The tools of the test over HTTP. `GET /tools` lists them; `POST /tools/<name>` with the arguments as JSON runs one and
 * replies with what the model should receive. Null when the request is not about tools.
 */
async function serveTools(
  request: GatewayRequest,
  tools: ToolRuntime,
  recorder: Recorder,
): Promise<GatewayReply | null> {
  const { method, path, signal } = request;
  if (path === prefix || path === `${prefix}/`) {
    if (method !== "GET") return errorReply(405, "method_not_allowed", "Ask for the list of tools with GET");
    return { status: 200, headers: json, body: JSON.stringify({ tools: tools.definitions }) };
  }
  if (!path.startsWith(`${prefix}/`)) return null;
  if (method !== "POST") return errorReply(405, "method_not_allowed", "Call a tool with POST");
  const parsed = parseJson(request.body.trim() === "" ? "{}" : request.body);
  if (!parsed.success) {
    return errorReply(400, "invalid_json", `The arguments are ${describeJsonProblem(parsed.error)}`);
  }
  const name = attemptSync<string, null>(
    () => decodeURIComponent(path.slice(prefix.length + 1)),
    () => null,
  );
  if (!name.success) return errorReply(404, "not_found", "The name of the tool is not well encoded");
  const { outcome, content } = await recorder.invoke(name.data, parsed.data, signal);
  if (!outcome.ok) return { status: statusByType[outcome.failure.errorType], headers: typed(content), body: content };
  return { status: 200, headers: typed(content), body: content };
}

/** A string is sent as text, everything else as JSON. */
function typed(content: string): Readonly<Record<string, string>> {
  return /^\s*[[{]/.test(content) ? json : { "content-type": "text/plain; charset=utf-8" };
}

/** What lies between two messages that the agent knows of, since KindLM ran the calls and asked on by itself. */
interface Hidden {
  /** The answer that the agent was given, by which the place is found again in what it sends next. */
  text: string;
  callIds: readonly string[];
  before: readonly Message[];
  /** The answer as the model gave it, with the calls that the agent does not see. */
  whole: AssistantMessage;
  /** The results of those calls. */
  results: readonly ToolMessage[];
  /** The turn of the answer, which shows whether it was rolled back since. */
  turn: TurnRecord | undefined;
}

/**
 * Runs the calls of tools that the test defines itself, and hands on to the agent what is left: its own calls, or the
 * answer. So the tools of an agent that knows nothing of KindLM are simulated, and nothing that they would do is done.
 * What the agent does not know of is put back into its later requests.
 */
export function runToolsHere(service: ModelService, tools: ToolRuntime, recorder: Recorder): ModelService {
  const names = new Set(tools.definitions.map(({ name }) => name));
  const hidden: Hidden[] = [];

  const runAll = (calls: readonly RequestedToolCall[], signal: AbortSignal): Promise<readonly ToolMessage[]> =>
    runInOrder(
      calls,
      (call) => tools.mayRunInParallel(call),
      async (call) => {
        const { outcome, content } = await recorder.invoke(call.tool, call.args ?? {}, signal);
        recorder.addResult(call.id, content);
        return { role: "tool", callId: call.id, tool: call.tool, content, isError: !outcome.ok };
      },
    );

  const askOn = async (request: AgentRequest, signal: AbortSignal): Promise<Result<ProviderResponse>> => {
    const known = weave(request.messages, hidden);
    const since: Message[] = [];
    // An agent that wants a call wants it in the first answer, and no end of them.
    const { tool_choice: _wanted, ...params } = request.params;
    const goOn = (more: readonly Message[]): AgentRequest => ({ ...request, params, messages: [...known, ...more] });
    for (;;) {
      // Each answer asks for the calls whose results the next one needs.
      const answered = await service.ask(since.length === 0 ? { ...request, messages: known } : goOn(since), signal);
      if (!answered.success) return answered;
      const { text, toolCalls, providerData } = answered.data;
      const here = toolCalls.filter(({ tool }) => names.has(tool));
      const left = toolCalls.filter(({ tool }) => !names.has(tool));
      const results = await runAll(here, signal);
      const whole: AssistantMessage = { role: "assistant", text, toolCalls };
      if (providerData !== undefined) whole.providerData = providerData;
      if (here.length > 0 && left.length === 0) {
        since.push(whole, ...results);
        continue;
      }
      if (since.length > 0 || here.length > 0) {
        const turn = recorder.transcript.turns.at(-1);
        hidden.push({ text, callIds: left.map(({ id }) => id), before: since, whole, results, turn });
      }
      return success({ ...answered.data, toolCalls: left });
    }
  };
  return { keptOf: service.keptOf, ask: askOn };
}

/**
 * The conversation as the model knows it. An answer is recognized by its calls, or else by its words, in their order.
 * What belongs to a rejected try is forgotten, though the try that stands may have used the same words.
 */
function weave(messages: readonly Message[], hidden: readonly Hidden[]): readonly Message[] {
  if (hidden.length === 0) return messages;
  const open = hidden.filter(({ turn }) => turn?.rejectedTry === undefined);
  return messages.flatMap((message): readonly Message[] => {
    if (message.role !== "assistant") return [message];
    const at = open.findIndex(({ text, callIds }) =>
      callIds.length > 0 ? message.toolCalls.some(({ id }) => callIds.includes(id)) : message.text === text,
    );
    const [found] = at === -1 ? [] : open.splice(at, 1);
    return found === undefined ? [message] : [...found.before, found.whole, ...found.results];
  });
}
