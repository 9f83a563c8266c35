import type { Usage } from "../../transcript/usage.js";
import {
  defaultRequestTimeouts,
  type ProviderRequest,
  type ProviderAdapter,
  type ProviderResponse,
  type FinishReason,
} from "../provider.js";
import type { Reply, Script } from "./script-schema.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import { failure, success, type Result } from "../../result.js";
import type { Clock } from "../../values/clock.js";
import { classifyFailure, classifyReply } from "../http/classify.js";
import type { ProviderIdentity } from "../http/provider-identity.js";
import type { HttpFailure } from "../http/transport.js";
import { chooseReply, type ChosenReply } from "./choose-reply.js";
import { readScene, type Scene } from "./read-scene.js";
import type { RequestedToolCall } from "../../transcript/message.js";
import { renderTemplate } from "../../values/template.js";
import { parseToolArguments, toolCallId } from "../tool-arguments.js";
import { hashText } from "../../values/random.js";

/** Few enough to be quick, many enough for the words of an answer to keep apart. */
const dimensions = 256;

/** Plays a script. Its errors take the same way as those of an HTTP provider. */
export function createScriptedAdapter(script: Script, identity: ProviderIdentity, clock: Clock): ProviderAdapter {
  const refuse = (reason: string): Result<never> =>
    failure(
      kindlmError("PROVIDER_API_ERROR", `${identity.name}: ${reason}`, {
        details: { provider: identity.name, model: identity.model, retryable: false },
      }),
    );

  return {
    async complete(request, { signal }): Promise<Result<ProviderResponse>> {
      const startedAt = clock.monotonic();
      const scene = readScene(request);
      const chosen = chooseReply(script, scene, request.origin.seed);
      if (!chosen.success) return refuse(chosen.error);
      const { reply } = chosen.data;
      const rendered = renderReply(chosen.data, scene);
      if (!rendered.success) return refuse(rendered.error);

      const { requestMs } = request.timeouts ?? defaultRequestTimeouts;
      const broken = await waitFor(reply, requestMs, clock, signal);
      if (broken !== null) return failure(classifyFailure(identity, broken, clock.now()));
      if (reply.error !== undefined) return failure(errorOf(identity, reply.error, clock.now()));
      if (reply.drop_after !== undefined) {
        const error = dropped(identity, rendered.data.text, reply.drop_after, clock.now());
        return failure(request.stream === true ? asBrokenStream(error, reply.drop_after) : error);
      }
      const { text, toolCalls, finishReason } = rendered.data;
      const latencyMs = clock.monotonic() - startedAt;
      const response: ProviderResponse = {
        text,
        toolCalls,
        finishReason: { unified: finishReason, raw: finishReason },
        usage: usageOf(reply, request, rendered.data),
        modelServed: identity.model,
        requestId: null,
        latencyMs,
      };
      // The whole answer arrives at once.
      const isTimed = request.stream === true && (text !== "" || toolCalls.length > 0);
      return success(isTimed ? { ...response, timeToFirstTokenMs: latencyMs } : response);
    },
    /** Rules do not apply to it. */
    async embed({ texts }) {
      const characters = texts.reduce((sum, text) => sum + text.length, 0);
      return success({
        vectors: texts.map(embedWords),
        usage: { inputTokens: Math.ceil(characters / 4), outputTokens: 0 },
        modelServed: identity.model,
        requestId: null,
        latencyMs: 0,
      });
    },
  };
}

/** Waits as the reply says, at most until the deadline of the request. Null when the reply may go on. */
async function waitFor(
  reply: Reply,
  requestMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<HttpFailure | null> {
  const waitMs = reply.hang === true ? Number.POSITIVE_INFINITY : (reply.delay ?? 0);
  if (waitMs > 0 && !signal.aborted) await clock.sleep(Math.min(waitMs, requestMs), signal);
  if (signal.aborted) {
    const reason: unknown = signal.reason;
    return { kind: "aborted", cause: reason instanceof Error ? reason : new Error(String(reason)) };
  }
  if (waitMs < requestMs) return null;
  const cause = new Error(`The request deadline of ${requestMs} ms passed`);
  return { kind: "timeout", which: "request", ms: requestMs, cause };
}

function errorOf(identity: ProviderIdentity, error: NonNullable<Reply["error"]>, nowMs: number): KindlmError {
  const { status, body = { error: { message: `scripted error ${status}` } } } = error;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(error.headers ?? {})) headers[name.toLowerCase()] = value;
  if (error.retry_after !== undefined) headers["retry-after-ms"] = String(error.retry_after);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return classifyReply(identity, { status, headers, body: text }, nowMs);
}

type Drop = NonNullable<Reply["drop_after"]>;

function isInChunks(after: Drop): after is { chunks: number } {
  return typeof after === "object" && "chunks" in after;
}

function amountOf(after: Drop): number {
  if (typeof after === "number") return after;
  return isInChunks(after) ? after.chunks : after.bytes;
}

/** A connection cut in the middle of the reply. What had arrived is kept: bytes of UTF-8, or words for `chunks`. */
function dropped(identity: ProviderIdentity, text: string, after: Drop, nowMs: number): KindlmError {
  const amount = amountOf(after);
  const isChunks = isInChunks(after);
  const partialText = isChunks
    ? (text.match(/\S+\s*/g) ?? []).slice(0, amount).join("")
    : new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, amount), { stream: true });
  const message = `the script drops the connection after ${amount} ${isChunks ? "chunks" : "bytes"}`;
  const cut: HttpFailure = { kind: "network", systemCode: "ECONNRESET", message, cause: new Error(message) };
  const error = classifyFailure(identity, cut, nowMs);
  if (error.code !== "PROVIDER_NETWORK_ERROR" || error.details === undefined) return error;
  return { ...error, details: { ...error.details, partialText } };
}

/** A stream that had started must not be requested again; one that had not contains no text. */
function asBrokenStream(error: KindlmError, after: Drop): KindlmError {
  if (error.code !== "PROVIDER_NETWORK_ERROR" || error.details === undefined) return error;
  const { partialText, ...details } = error.details;
  if (amountOf(after) === 0) return { ...error, details };
  return { ...error, details: { ...details, retryable: false, partialText } };
}

/** About as many characters as an English token has. */
const charactersPerToken = 4;

/** The usage that the script states, or a rough count: characters sent and answered, divided by four, rounded up. */
function usageOf(reply: Reply, request: ProviderRequest, answer: RenderedReply): Usage {
  const stated = reply.usage;
  if (stated === undefined) return estimateUsage(request, answer);
  const usage: Usage = { inputTokens: stated.input_tokens, outputTokens: stated.output_tokens };
  if (stated.cached_input_tokens !== undefined) usage.cachedInputTokens = stated.cached_input_tokens;
  if (stated.reasoning_tokens !== undefined) usage.reasoningTokens = stated.reasoning_tokens;
  return usage;
}

function estimateUsage(request: ProviderRequest, answer: RenderedReply): Usage {
  let sent = request.system?.length ?? 0;
  if (request.tools.length > 0) sent += JSON.stringify(request.tools).length;
  for (const message of request.messages) {
    if (message.role === "assistant") sent += message.text.length + callLength(message.toolCalls);
    else sent += typeof message.content === "string" ? message.content.length : JSON.stringify(message.content).length;
  }
  return { inputTokens: tokens(sent), outputTokens: tokens(answer.text.length + callLength(answer.toolCalls)) };
}

function callLength(calls: RenderedReply["toolCalls"]): number {
  return calls.reduce((sum, call) => sum + call.tool.length + JSON.stringify(call.args ?? {}).length, 0);
}

function tokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

interface RenderedReply {
  text: string;
  toolCalls: readonly RequestedToolCall[];
  finishReason: FinishReason;
}

/** Fills the placeholders of a reply. The error names one that stands for nothing. */
function renderReply({ reply, match }: ChosenReply, scene: Scene): Result<RenderedReply, string> {
  const { user, turn, attempt, args, lastToolResult } = scene;
  const values: Record<string, unknown> = { user, turn, attempt, match };
  if (args !== undefined) values["args"] = args;
  if (lastToolResult !== null) values["last_tool_result"] = lastToolResult.value;
  const { text, json, tool_calls: calls = [] } = reply;
  const rendered = renderTemplate<unknown[]>([text ?? json, ...calls.map((call) => call.args ?? {})], { values });
  if (!rendered.success) {
    const [problem] = rendered.error;
    return failure(`{{${problem?.name ?? ""}}} of the script stands for nothing; there is ${listOf(problem?.known)}`);
  }
  const [answer, ...argsOfCalls] = rendered.data;
  const toolCalls = calls.map((call, index): RequestedToolCall => {
    const given = call.raw_args === undefined ? { args: argsOfCalls[index] } : parseToolArguments(call.raw_args);
    return { id: toolCallId(call.id, turn, index), tool: call.tool, ...given };
  });
  return success({
    text: textOf(answer, text === undefined),
    toolCalls,
    finishReason: reply.finish_reason ?? (toolCalls.length > 0 ? "tool_calls" : "stop"),
  });
}

/** A string that is exactly one placeholder becomes the value itself, which is then rendered as JSON. */
function textOf(answer: unknown, isJson: boolean): string {
  if (answer === undefined) return "";
  return typeof answer === "string" && !isJson ? answer : JSON.stringify(answer);
}

function listOf(names: readonly string[] = []): string {
  return names.length === 0 ? "nothing at that place" : names.join(", ");
}

/**
 * A vector without a model: how often each word occurs, at a place that follows from the word. Strings
 * with the same words have the same vector; strings with no word in common are roughly at right angles. It knows
 * nothing of meaning.
 */
export function embedWords(text: string): readonly number[] {
  const words =
    text
      .toLowerCase()
      .normalize("NFC")
      .match(/[\p{L}\p{M}\p{N}]+/gu) ??
    text.match(/\S/gu) ??
    [];
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of words) {
    const place = hashText(word) % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}
