import type { HttpProviderAccess } from "../open-http-provider.js";
import type { WireFormat, Wire, WireAnswer, StreamAssembler } from "../wire-format.js";
import type { AssistantMessage, Message } from "../../transcript/message.js";
import {
  toChatCall,
  toChatContent,
  toChatResponseFormat,
  toChatSampling,
  toChatTool,
  toChatToolChoice,
} from "../chat-completions/to-chat-parts.js";
import type { ModelParams, ProviderRequest } from "../provider.js";
import { hash } from "node:crypto";
import { failure, success, type Result } from "../../result.js";
import type { Usage } from "../../transcript/usage.js";
import { isRecord, textOf } from "../../values/json.js";
import { fromChatResponse } from "../chat-completions/from-response.js";
import { toolCallId } from "../tool-arguments.js";
import { createChatAssembler, type ContentAssembler } from "../chat-completions/assemble-stream.js";
import { streamedError } from "../http/streaming/streamed-error.js";
import { passthroughList } from "../passthrough-data.js";

const accepted = /^[a-zA-Z0-9]{9}$/;

export function createMistralFormat({ baseUrl, headers }: HttpProviderAccess, model: string): WireFormat {
  const url = `${baseUrl}/v1/chat/completions`;
  return {
    toRequest: (request) => ({ url, headers, body: toMistralRequest(request, model) }),
    fromResponse: fromMistralResponse,
    stream: { framing: "sse", createAssembler: createMistralAssembler },
  };
}

/**
 * A request as the body of Mistral's chat completions. They refuse keys that they do not know, so that nothing of
 * OpenAI's goes along.
 */
export function toMistralRequest(request: ProviderRequest, model: string): Wire {
  const { params } = request;
  const body: Wire = { model, messages: messagesOf(request), ...toChatSampling(params) };
  if (params.max_tokens !== undefined) body["max_tokens"] = params.max_tokens;
  if (params.seed !== undefined) body["random_seed"] = params.seed;
  if (request.tools.length > 0) {
    body["tools"] = request.tools.map(toChatTool);
    const choice = toolChoiceOf(params.tool_choice);
    if (choice !== undefined) body["tool_choice"] = choice;
    if (params.parallel_tool_calls !== undefined) body["parallel_tool_calls"] = params.parallel_tool_calls;
  }
  if (params.response_format !== undefined) body["response_format"] = toChatResponseFormat(params.response_format);
  if (request.stream === true) body["stream"] = true;
  return params.extra_body === undefined ? body : { ...body, ...params.extra_body };
}

function toolChoiceOf(choice: ModelParams["tool_choice"]): unknown {
  if (typeof choice === "object") return toChatToolChoice(choice.tool);
  return choice === "required" ? "any" : choice;
}

function messagesOf({ system, messages }: ProviderRequest): readonly Wire[] {
  const sent: Wire[] = system === undefined ? [] : [{ role: "system", content: system }];
  for (const [index, message] of messages.entries()) {
    const wire = toMistralMessage(message, index === messages.length - 1);
    if (wire !== null) sent.push(wire);
  }
  return sent;
}

function toMistralMessage(message: Message, isLast: boolean): Wire | null {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user":
      return { role: "user", content: toChatContent(message.content) };
    case "assistant":
      return toMistralAnswer(message, isLast);
    case "tool":
      return {
        role: "tool",
        tool_call_id: toMistralCallId(message.callId),
        name: message.tool,
        content: message.content,
      };
  }
}

/**
 * Null for a message that says nothing: the API refuses it. It also refuses an answer as the last message, unless the
 * model is to go on from there.
 */
function toMistralAnswer({ text, toolCalls, providerData }: AssistantMessage, isLast: boolean): Wire | null {
  const content = passthroughContent(providerData) ?? text;
  if (toolCalls.length > 0) {
    const calls = toolCalls.map((call) => toChatCall(call, toMistralCallId(call.id)));
    return { role: "assistant", content, tool_calls: calls };
  }
  if (content === "") return null;
  return isLast ? { role: "assistant", content, prefix: true } : { role: "assistant", content };
}

/**
 * An id as the API takes it back: nine letters or digits. Ids of another provider's history, or of a config, are
 * translated, each always to the same.
 */
export function toMistralCallId(id: string): string {
  return accepted.test(id) ? id : hash("sha256", id, "hex").slice(0, 9);
}

/** Reads a chat completion of Mistral. The error is the reason why it cannot be used. */
export function fromMistralResponse(json: Record<string, unknown>, turn: number): Result<WireAnswer, string> {
  const read = fromChatResponse(json, turn);
  if (!read.success) return read;
  const { toolCalls, finishReason, usage } = read.data;
  if (finishReason.raw === "error") return failure("an answer that it broke off (error)");
  return success({
    ...read.data,
    // The API writes an id that it does not have as the word "null".
    toolCalls: toolCalls.map((call, index) =>
      call.id === "null" ? { ...call, id: toolCallId(null, turn, index) } : call,
    ),
    finishReason: finishReason.raw === "model_length" ? { ...finishReason, unified: "length" } : finishReason,
    usage: usage === null ? null : withCached(usage, json["usage"]),
    providerData: toPassthrough(contentOf(json)),
  });
}

/** Cached tokens have had three names. */
function withCached(usage: Usage, said: unknown): Usage {
  if (usage.cachedInputTokens !== undefined || !isRecord(said)) return usage;
  const details = said["prompt_token_details"];
  const cached = said["num_cached_tokens"] ?? (isRecord(details) ? details["cached_tokens"] : undefined);
  return typeof cached === "number" ? { ...usage, cachedInputTokens: cached } : usage;
}

function contentOf(json: Record<string, unknown>): unknown {
  const choice: unknown = Array.isArray(json["choices"]) ? json["choices"][0] : undefined;
  const message = isRecord(choice) ? choice["message"] : undefined;
  return isRecord(message) ? message["content"] : undefined;
}

/** Puts the chunks of a streamed chat completion of Mistral together; its errors are events with `object: error`. */
export function createMistralAssembler(): StreamAssembler {
  const completion = createChatAssembler(createChunkAssembler());
  return {
    get text() {
      return completion.text;
    },
    add: (event) => (event.data["object"] === "error" ? streamedError(event.data) : completion.add(event)),
    finish: () => completion.finish(),
  };
}

/** Content is text, or a list of chunks of text, thinking and references; pieces of one kind in a row are one chunk. */
function createChunkAssembler(): ContentAssembler {
  const chunks: Record<string, unknown>[] = [];
  let text = "";

  const addChunk = (chunk: Record<string, unknown>): boolean => {
    const last = chunks.at(-1);
    const merged = last === undefined ? null : mergeChunks(last, chunk);
    if (merged === null) chunks.push(chunk);
    else chunks[chunks.length - 1] = merged;
    if (chunk["type"] !== "text") return false;
    const piece = textOf(chunk["text"]);
    text += piece;
    return piece !== "";
  };

  return {
    get text() {
      return text;
    },
    add(piece) {
      if (typeof piece === "string") return piece !== "" && addChunk({ type: "text", text: piece });
      if (!Array.isArray(piece)) return false;
      return piece.filter((chunk) => isRecord(chunk) && addChunk(chunk)).length > 0;
    },
    finish: () => (chunks.every(({ type }) => type === "text") ? text : chunks),
  };
}

/** Null for two that stay apart. */
function mergeChunks(last: Record<string, unknown>, next: Record<string, unknown>): Record<string, unknown> | null {
  if (last["type"] !== next["type"]) return null;
  switch (next["type"]) {
    case "text":
      return { ...last, ...next, text: textOf(last["text"]) + textOf(next["text"]) };
    case "thinking": {
      const thinking = [...listOf(last["thinking"])];
      for (const part of listOf(next["thinking"])) {
        const before = thinking.at(-1);
        if (isTextPart(before) && isTextPart(part)) {
          thinking[thinking.length - 1] = { ...before, text: before.text + part.text };
        } else thinking.push(part);
      }
      return { ...last, ...next, thinking };
    }
    default:
      return null;
  }
}

function isTextPart(part: unknown): part is { type: "text"; text: string } {
  return isRecord(part) && part["type"] === "text" && typeof part["text"] === "string";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Content that must go back as it came, such as thinking. */
interface PassthroughContent {
  mistral: { content: readonly unknown[] };
}

/** What to keep of the content of an answer; undefined when its text already says all of it. */
function toPassthrough(content: unknown): PassthroughContent | undefined {
  if (!Array.isArray(content)) return undefined;
  const isPlain = content.every((chunk) => isRecord(chunk) && chunk["type"] === "text");
  return isPlain ? undefined : { mistral: { content } };
}

/** The content to send back, if this provider kept some. */
function passthroughContent(providerData: unknown): readonly unknown[] | null {
  return passthroughList("mistral", "content", providerData);
}
