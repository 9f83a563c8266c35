import { randomUUID } from "node:crypto";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { trialStopped } from "../../errors/trial-stopped.js";
import type { ExchangeContext, HttpFailure, HttpReply, HttpRequest } from "../../providers/http/transport.js";
import { failure, success, type Result } from "../../result.js";
import { renderTemplate, lookUp } from "../../values/template.js";
import { defineTarget, type TargetOpening } from "../define-target.js";
import {
  createHalt,
  ProgramSession,
  recorderOf,
  type ProgramAnswer,
  type ProgramExchange,
} from "../program/program-session.js";
import type { Recorder } from "../program/recorder.js";
import { targetError } from "../program/target-error.js";
import { httpTargetSchema, type HttpTargetConfig, type ResponsePaths } from "./http-settings.js";
import { believableUsage } from "../../providers/believable-usage.js";
import { readUsage } from "../../providers/chat-completions/read-usage.js";
import type { RequestedToolCall } from "../../transcript/message.js";
import type { Usage } from "../../transcript/usage.js";
import type { ToolInvocation } from "../../tools/tool-runtime.js";
import { readCall } from "../../transcript-import/read-call.js";
import { isRecord } from "../../values/json.js";
import { bodyRoom, isJsonLimit, parseJson } from "../../values/parse-json.js";

/** A service that is asked once for each message of the user. */
export const httpTarget = defineTarget<HttpTargetConfig>({
  kind: "http",
  key: "url",
  schema: httpTargetSchema,
  placeholders: ["input", "session", "message_id", "system", "workspace"],
  files: () => [],
  resolvePaths: (config) => config,
  refuses(_config, { hasHistory, hasImages, endsWithUser }) {
    if (hasHistory || !endsWithUser) return "An HTTP target takes the user's message only, no history";
    return hasImages ? "An HTTP target takes text only, no images" : null;
  },
  async open(config, opening) {
    const halt = createHalt();
    const recorder = recorderOf(opening, halt);
    const exchange = createHttpExchange(config, opening, recorder);
    return success(new ProgramSession(opening, recorder, halt, exchange));
  },
});

function createHttpExchange(config: HttpTargetConfig, opening: TargetOpening, recorder: Recorder): ProgramExchange {
  const { world, origin } = opening;
  let session: string = randomUUID();
  let turn = 0;
  return {
    async ask({ text: input }, signal) {
      const messageId = randomUUID();
      const request = toRequest(config, opening, { input, session, message_id: messageId });
      if (!request.success) return request;
      turn += 1;
      const { caseId, trial } = origin;
      const exchange: ExchangeContext = {
        asked: null,
        caseId,
        trial,
        turn,
        attempt: 1,
        volatile: { session, message_id: messageId, ...origin.volatile },
      };
      const replied = await world.http.send(request.data, { signal, exchange });
      if (!replied.success) return failure(failureOf(replied.error, request.data.url));
      const reply = replied.data;
      if (reply.status < 200 || reply.status > 299) {
        return failure(replyError("unexpected", `The agent replied with HTTP status ${reply.status}`, reply));
      }
      const read = readHttpAnswer(reply.body, config.response);
      if (!read.success) {
        return failure(replyError("malformed_message", `The agent's reply cannot be read: ${read.error}`, reply));
      }
      const { text, toolCalls, usage, agent } = read.data;
      session = read.data.session ?? session;
      for (const { call, outcome, by = agent } of toolCalls) recorder.addCall(call, outcome, by);
      const answer: ProgramAnswer = { text, usage, costUsd: null, model: null, finishReason: "stop" };
      if (agent !== undefined) answer.agent = agent;
      if (exchange.replayedMs !== undefined) answer.replayedMs = exchange.replayedMs;
      return success(answer);
    },
    async restart() {
      session = randomUUID();
    },
    close: async () => {},
    stderr: () => "",
  };
}

function toRequest(
  config: HttpTargetConfig,
  { scope, system, timeouts, workspace, traced }: TargetOpening,
  message: Readonly<Record<"input" | "session" | "message_id", string>>,
): Result<HttpRequest> {
  const folder = workspace?.root ?? "";
  const values = { ...scope, ...message, system: system ?? "", workspace: folder };
  const encoded = mapValues({ ...message, workspace: folder }, encodeURIComponent);
  const address = { ...scope, ...encoded, system: "" };
  const url = renderTemplate(config.url, { values: address });
  const rest = renderTemplate({ headers: config.headers, body: config.body }, { values });
  if (!url.success || !rest.success) {
    return failure(kindlmError("CONFIG_VALIDATION_ERROR", "Unknown placeholder in the target"));
  }
  const { body } = rest.data;
  const isText = typeof body === "string" && typeof config.body === "string";
  const headers: Record<string, string> = {
    ...(body === null ? {} : { "content-type": isText ? "text/plain; charset=utf-8" : "application/json" }),
    accept: "application/json, text/plain;q=0.9, */*;q=0.8",
  };
  for (const [name, value] of Object.entries<unknown>(rest.data.headers)) {
    headers[name.toLowerCase()] = typeof value === "string" ? value : JSON.stringify(value);
  }
  if (traced !== undefined) headers["traceparent"] = traced.trace.nextTraceparent();
  const request: HttpRequest = { url: url.data, method: config.method, headers, timeouts };
  if (body !== null) request.body = isText ? body : JSON.stringify(body);
  return success(request);
}

function mapValues(
  values: Readonly<Record<string, string>>,
  change: (value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)] as const));
}

function replyError(
  kind: "unexpected" | "malformed_message",
  message: string,
  { status, body }: HttpReply,
): KindlmError {
  return kindlmError("TARGET_ERROR", message, { details: { kind, status, body: body.slice(0, 2_000) } });
}

/** Where nothing answers there is no agent to test; one that is too slow or cuts the line is to blame itself. */
function failureOf(error: HttpFailure, url: string): KindlmError {
  const host = URL.canParse(url) ? new URL(url).host : url;
  switch (error.kind) {
    case "timeout":
      if (error.which === "connect") {
        return targetError("not_found", `The agent at ${host} cannot be reached: no connection within ${error.ms} ms`);
      }
      return targetError("unexpected", `The agent at ${host} did not reply in time (${error.which}: ${error.ms} ms)`);
    case "aborted":
      return trialStopped();
    case "network": {
      const isAbsent = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(error.systemCode ?? "");
      if (isAbsent)
        return targetError("not_found", `The agent at ${host} cannot be reached: ${error.message}`, error.cause);
      return targetError("unexpected", `The agent at ${host} did not reply: ${error.message}`, error.cause);
    }
    case "unreadable":
      return targetError("malformed_message", `The agent's reply cannot be read: ${error.message}`, error.cause);
    case "withheld":
      return error.error;
    case "unsendable":
      return targetError(
        "not_found",
        `Could not send the request to the agent at ${host}: ${error.message}`,
        error.cause,
      );
  }
}

interface HttpAnswer {
  text: string;
  toolCalls: readonly { call: RequestedToolCall; outcome: ToolInvocation["outcome"]; by?: string }[];
  usage: Usage | null;
  session: string | null;
  agent?: string;
}

/** The parts of an answer. Fails with what the reply does not hold. */
export function readHttpAnswer(body: string, paths: ResponsePaths): Result<HttpAnswer, string> {
  const { text, toolCalls, usage, session, agent } = paths;
  if (Object.values(paths).every((path) => path === null)) {
    return success({ text: body.trim(), toolCalls: [], usage: null, session: null });
  }
  const json = parseJson(body, bodyRoom);
  if (!json.success) return failure(isJsonLimit(json.error) ? `it is ${json.error}` : "it is not JSON");
  const at = (path: string): unknown => {
    const found = lookUp(path, { values: isRecord(json.data) ? json.data : { ...asList(json.data) } });
    return found.success ? found.data : undefined;
  };
  const answer = text === null ? body.trim() : at(text);
  if (answer === undefined || answer === null) return failure(`it has no "${text}"`);
  const calls = toolCalls === null ? [] : (at(toolCalls) ?? []);
  if (!Array.isArray(calls)) return failure(`"${toolCalls}" is not a list`);
  const read: HttpAnswer["toolCalls"][number][] = [];
  for (const [index, entry] of calls.entries()) {
    const one = readCallEntry(entry, index);
    if (!one.success) return failure(`entry ${index + 1} of "${toolCalls}" ${one.error}`);
    read.push(one.data);
  }
  const counts = usage === null ? null : at(usage);
  const id = session === null ? null : at(session);
  const by = agent === undefined ? undefined : at(agent);
  return success({
    text: textOf(answer),
    toolCalls: read,
    usage: believableUsage(
      readUsage(counts, "input_tokens", "output_tokens") ?? readUsage(counts, "prompt_tokens", "completion_tokens"),
    ),
    session: id === undefined || id === null ? null : textOf(id),
    ...(typeof by === "string" && by !== "" ? { agent: by } : {}),
  });
}

/** A list has its numbers as names. */
function asList(value: unknown): Record<string, unknown> {
  return Array.isArray(value) ? Object.fromEntries(value.map((item: unknown, index) => [String(index), item])) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A call as most agents write it down. Fails with what is wrong with it. */
function readCallEntry(entry: unknown, index: number): Result<HttpAnswer["toolCalls"][number], string> {
  if (!isRecord(entry)) return failure("is not an object");
  const { result, error, agent, ...written } = entry;
  const read = readCall(written);
  if ("problem" in read) return failure(read.problem);
  const { tool, args, malformed } = read.call;
  const call = { id: `reported_${index}`, tool, args: malformed === undefined ? args : malformed.raw };
  const by = typeof agent === "string" && agent !== "" ? { by: agent } : {};
  if (error === undefined || error === null) return success({ call, outcome: { ok: true, value: result }, ...by });
  const told = { errorType: "runtime", message: textOf(error), retryable: true } as const;
  return success({ call, outcome: { ok: false, failure: told }, ...by });
}
