import type { HttpProviderAccess } from "../open-http-provider.js";
import type { WireFormat, Wire, WireAnswer, StreamAssembler, StreamStep, EmbeddingFormat } from "../wire-format.js";
import {
  userText,
  type AssistantMessage,
  type Message,
  type RequestedToolCall,
  type UserMessage,
} from "../../transcript/message.js";
import { isRecord, textOf, isList } from "../../values/json.js";
import { toChatTool } from "../chat-completions/to-chat-parts.js";
import type { ModelParams, ProviderRequest, FinishReason } from "../provider.js";
import { toArgumentsObject } from "../tool-arguments.js";
import { failure, success, type Result } from "../../result.js";
import type { Usage } from "../../transcript/usage.js";
import { readChatCalls } from "../chat-completions/read-chat-calls.js";
import { toFinishReason } from "../to-finish-reason.js";
import { streamedError } from "../http/streaming/streamed-error.js";
import { passthroughData } from "../passthrough-data.js";

const thinkValues: Readonly<Record<string, boolean | string>> = {
  none: false,
  false: false,
  true: true,
  minimal: "low",
  xhigh: "max",
};

const finishReasons: Readonly<Record<string, FinishReason>> = { stop: "stop", length: "length" };

export function createOllamaFormat({ baseUrl, headers }: HttpProviderAccess, model: string): WireFormat {
  const url = `${baseUrl}/api/chat`;
  return {
    toRequest: (request) => ({ url, headers, body: toOllamaRequest(request, model) }),
    fromResponse: fromOllamaResponse,
    stream: { framing: "ndjson", createAssembler: createOllamaAssembler },
    takesImageUrls: false,
  };
}

/**
 * A request as the body of `/api/chat`. The API has no tool choice: for `none` the tools are left out, and other wishes
 * are. `options` of `extra_body` join the ones of the params.
 */
export function toOllamaRequest(request: ProviderRequest, model: string): Wire {
  const { params } = request;
  const messages: Wire[] = request.system === undefined ? [] : [{ role: "system", content: request.system }];
  for (const message of request.messages) messages.push(toOllamaMessage(message));
  // The API streams unless the request forbids it.
  const body: Wire = { model, messages, stream: request.stream === true };
  if (request.tools.length > 0 && params.tool_choice !== "none") body["tools"] = request.tools.map(toChatTool);
  const { reasoning_effort: effort, response_format: format, extra_body: extra = {} } = params;
  if (effort !== undefined) body["think"] = thinkOf(effort);
  if (format !== undefined) body["format"] = format === "json" ? "json" : format.schema;
  const further = isRecord(extra["options"]) ? extra["options"] : {};
  const options = { ...optionsOf(params), ...further };
  if (Object.keys(options).length > 0) body["options"] = options;
  return Object.assign(body, extra, Object.keys(further).length > 0 ? { options } : {});
}

function optionsOf(params: ModelParams): Wire {
  const options: Wire = {};
  if (params.temperature !== undefined) options["temperature"] = params.temperature;
  if (params.top_p !== undefined) options["top_p"] = params.top_p;
  if (params.max_tokens !== undefined) options["num_predict"] = params.max_tokens;
  if (params.seed !== undefined) options["seed"] = params.seed;
  if (params.stop !== undefined) options["stop"] = [...params.stop];
  if (params.frequency_penalty !== undefined) options["frequency_penalty"] = params.frequency_penalty;
  if (params.presence_penalty !== undefined) options["presence_penalty"] = params.presence_penalty;
  return options;
}

/** Ollama itself translates the words of OpenAI like this; what it does not know it refuses. */
function thinkOf(effort: string): boolean | string {
  return Object.hasOwn(thinkValues, effort) ? (thinkValues[effort] ?? effort) : effort;
}

function toOllamaMessage(message: Message): Wire {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user":
      return toOllamaQuestion(message);
    case "assistant":
      return toOllamaAnswer(message);
    case "tool":
      return { role: "tool", content: message.content, tool_name: message.tool, tool_call_id: message.callId };
  }
}

/** Images by URL never come here: such a request is refused before. */
function toOllamaQuestion(message: UserMessage): Wire {
  const question: Wire = { role: "user", content: userText(message) };
  if (typeof message.content === "string") return question;
  const images = message.content.flatMap((part) =>
    part.type === "image" && part.source.kind === "base64" ? [part.source.data] : [],
  );
  return images.length === 0 ? question : { ...question, images };
}

function toOllamaAnswer({ text, toolCalls, providerData }: AssistantMessage): Wire {
  const answer: Wire = { role: "assistant", content: text };
  const thinking = passthroughContent(providerData);
  if (thinking !== null) answer["thinking"] = thinking;
  if (toolCalls.length > 0) answer["tool_calls"] = toolCalls.map(toOllamaCall);
  return answer;
}

function toOllamaCall(call: RequestedToolCall): Wire {
  return { id: call.id, function: { name: call.tool, arguments: toArgumentsObject(call) } };
}

/** Reads a reply of `/api/chat`. The error is the reason why it cannot be used. */
export function fromOllamaResponse(json: Record<string, unknown>, turn: number): Result<WireAnswer, string> {
  const message = json["message"];
  if (!isRecord(message)) return failure("no message in its body");
  const toolCalls = readChatCalls(message["tool_calls"], turn);
  if (toolCalls === null) return failure("a tool call that has no function name");
  const raw = textOf(json["done_reason"]);
  const text = textOf(message["content"]);
  if ((raw === "load" || raw === "unload") && text === "" && toolCalls.length === 0) {
    return failure(`no answer, the model was only ${raw}ed, as happens when no message asks for one`);
  }
  return success({
    text,
    toolCalls,
    finishReason: toFinishReason(finishReasons, raw, toolCalls.length > 0),
    usage: usageOf(json),
    modelServed: typeof json["model"] === "string" ? json["model"] : null,
    providerData: toPassthrough(message["thinking"]),
  });
}

/** The server leaves out a count that is zero, such as that of a prompt which it still had in memory. */
function usageOf({ prompt_eval_count: input, eval_count: output }: Record<string, unknown>): Usage | null {
  if (typeof input !== "number" && typeof output !== "number") return null;
  return { inputTokens: countOf(input), outputTokens: countOf(output) };
}

function countOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/**
 * Puts the lines of a streamed `/api/chat` together: pieces of text and thinking, whole tool calls, and a last line
 * with `done` and the counts. An error is a separate line, without a status.
 */
export function createOllamaAssembler(): StreamAssembler {
  let text = "";
  let thinking = "";
  let last: Record<string, unknown> | null = null;
  const calls: unknown[] = [];

  const addMessage = (message: Record<string, unknown>): boolean => {
    const { content, thinking: thought, tool_calls: called } = message;
    if (typeof thought === "string") thinking += thought;
    if (typeof content === "string") text += content;
    if (isList(called)) calls.push(...called);
    return (typeof content === "string" && content !== "") || (Array.isArray(called) && called.length > 0);
  };

  return {
    get text() {
      return text;
    },
    add({ data }): StreamStep {
      if (data["error"] !== undefined && data["error"] !== null) return streamedError(data);
      const isContent = isRecord(data["message"]) && addMessage(data["message"]);
      if (data["done"] !== true) return { kind: isContent ? "content" : "meta" };
      last = data;
      return { kind: "end", hasContent: isContent };
    },
    finish() {
      if (last === null) return null;
      const message: Record<string, unknown> = { role: "assistant", content: text };
      if (thinking !== "") message["thinking"] = thinking;
      if (calls.length > 0) message["tool_calls"] = calls;
      return { ...last, message };
    },
  };
}

/** The thinking of an answer goes back with it. */
interface PassthroughContent {
  ollama: { thinking: string };
}

/** What to keep of an answer; undefined when there is no thinking. */
function toPassthrough(thinking: unknown): PassthroughContent | undefined {
  return typeof thinking === "string" && thinking !== "" ? { ollama: { thinking } } : undefined;
}

/** The thinking to send back, if this provider kept some. */
function passthroughContent(providerData: unknown): string | null {
  const thinking = passthroughData("ollama", providerData)?.["thinking"];
  return typeof thinking === "string" ? thinking : null;
}

/**
 * `/api/embed`. A string that is too long for the model is rejected instead of cut, since the rest of it would not count.
 * Source: https://docs.ollama.com/api/embed
 */
export function createOllamaEmbedding({ baseUrl, headers }: HttpProviderAccess, model: string): EmbeddingFormat {
  const url = `${baseUrl}/api/embed`;
  return {
    toRequest: ({ texts, params }) => ({
      url,
      headers,
      body: { model, input: texts, truncate: false, ...params.extra_body },
    }),
    fromReply({ embeddings, model: served, prompt_eval_count: tokens }) {
      if (!Array.isArray(embeddings)) return failure("no embeddings in it");
      const usage = typeof tokens === "number" ? { inputTokens: tokens, outputTokens: 0 } : null;
      return success({ vectors: embeddings, usage, modelServed: textOf(served) || null });
    },
  };
}
