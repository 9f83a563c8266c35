import { randomUUID } from "node:crypto";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { trialStopped } from "../../errors/trial-stopped.js";
import type { ExchangeContext, HttpFailure, HttpReply, HttpRequest } from "../../providers/http/transport.js";
import { failure, success, type Result } from "../../result.js";
import { renderTemplate } from "../../values/template.js";
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
import { httpTargetSchema, type HttpTargetConfig } from "./http-settings.js";
import { readHttpAnswer } from "./read-http-answer.js";

/** A service that is asked once for each message of the user. */
export const httpTarget = defineTarget<HttpTargetConfig>({
  kind: "http",
  key: "url",
  schema: httpTargetSchema,
  placeholders: ["input", "session", "system"],
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
      const request = toRequest(config, opening, input, session);
      if (!request.success) return request;
      turn += 1;
      const { caseId, trial } = origin;
      const exchange: ExchangeContext = { asked: null, caseId, trial, turn, attempt: 1, volatile: { session } };
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
      const { text, toolCalls, usage } = read.data;
      session = read.data.session ?? session;
      for (const { call, outcome } of toolCalls) recorder.addCall(call, outcome);
      const answer: ProgramAnswer = { text, usage, costUsd: null, model: null, finishReason: "stop" };
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
  { scope, system, timeouts }: TargetOpening,
  input: string,
  session: string,
): Result<HttpRequest> {
  const values = { ...scope, input, session, system: system ?? "" };
  const address = { ...scope, input: encodeURIComponent(input), session: encodeURIComponent(session), system: "" };
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
  const request: HttpRequest = { url: url.data, method: config.method, headers, timeouts };
  if (body !== null) request.body = isText ? body : JSON.stringify(body);
  return success(request);
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
      const message = `The agent at ${host} cannot be reached: ${error.message}`;
      return targetError(isAbsent ? "not_found" : "unexpected", message, error.cause);
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
