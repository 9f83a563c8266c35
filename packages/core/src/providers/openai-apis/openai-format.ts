import { failure, success } from "../../result.js";
import { createChatAssembler } from "../chat-completions/assemble-stream.js";
import { fromChatResponse } from "../chat-completions/from-response.js";
import type { WireFormat } from "../wire-format.js";
import type { OpenaiApi } from "./openai-api.js";
import { filteredAnswer, isFiltered, isFilterReply } from "./filtered-answer.js";
import { createResponsesAssembler, fromResponsesReply } from "./responses/from-response.js";
import { toResponsesRequest } from "./responses/to-request.js";
import { inBandError } from "./in-band-error.js";
import type { Message } from "../../transcript/message.js";
import type { JsonObject, JsonValue } from "../../values/json.js";
import { passthroughContent } from "../chat-completions/passthrough-content.js";
import {
  toChatCall,
  toChatContent,
  toChatResponseFormat,
  toChatSampling,
  toChatTool,
  toChatToolChoice,
} from "../chat-completions/to-chat-parts.js";
import type { ModelParams, ProviderRequest } from "../provider.js";

export interface OpenaiFormatOptions extends OpenaiRequestOptions {
  api: OpenaiApi;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Account and model whose encrypted reasoning may go back to them. */
  source: string;
}

/** The language of OpenAI, which Azure and many servers speak as well. */
export function createOpenaiFormat({ api, url, headers, source, ...options }: OpenaiFormatOptions): WireFormat {
  const isChat = api === "chat";
  const { model } = options;
  return {
    toRequest: (request) => ({
      url,
      headers,
      body: isChat ? toOpenaiRequest(request, options) : toResponsesRequest(request, { model, source }),
    }),
    fromResponse(json, turn) {
      if (isFiltered(json)) return success(filteredAnswer(json));
      if (!isChat) return fromResponsesReply(json, turn, source);
      const told = inBandError(json);
      return told === null ? fromChatResponse(json, turn) : failure(told);
    },
    isAnswer: isFilterReply,
    stream: { framing: "sse", createAssembler: isChat ? () => createChatAssembler() : createResponsesAssembler },
  };
}

interface OpenaiRequestOptions {
  model: string;
  /**
   * OpenAI has replaced `max_tokens` by `max_completion_tokens`, and its reasoning models refuse the old name; servers
   * that imitate OpenAI often know only the old one.
   */
  maxTokensKey: "max_tokens" | "max_completion_tokens";
}

/** A request as the body of a chat completion. */
export function toOpenaiRequest(request: ProviderRequest, { model, maxTokensKey }: OpenaiRequestOptions): JsonObject {
  const { params } = request;
  const messages: JsonValue[] = [];
  if (request.system !== undefined) messages.push({ role: "system", content: request.system });
  for (const message of request.messages) messages.push(toOpenaiMessage(message));
  const body: JsonObject = { model, messages, ...toChatSampling(params) };
  if (params.max_tokens !== undefined) body[maxTokensKey] = params.max_tokens;
  if (params.seed !== undefined) body["seed"] = params.seed;
  if (request.tools.length > 0) {
    body["tools"] = request.tools.map(toChatTool);
    addToolParams(body, params);
  }
  if (params.response_format !== undefined) body["response_format"] = toChatResponseFormat(params.response_format);
  if (request.stream === true) Object.assign(body, { stream: true, stream_options: { include_usage: true } });
  return params.extra_body === undefined ? body : { ...body, ...params.extra_body };
}

/** OpenAI refuses these two in a request without tools. */
function addToolParams(body: JsonObject, params: ModelParams): void {
  const choice = params.tool_choice;
  if (choice !== undefined) body["tool_choice"] = typeof choice === "object" ? toChatToolChoice(choice.tool) : choice;
  if (params.parallel_tool_calls !== undefined) body["parallel_tool_calls"] = params.parallel_tool_calls;
}

function toOpenaiMessage(message: Message): JsonObject {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user":
      return { role: "user", content: toChatContent(message.content) };
    case "assistant": {
      const { text, toolCalls, providerData } = message;
      if (toolCalls.length === 0) return { role: "assistant", content: text };
      const calls = toolCalls.map((call) => toChatCall(call, call.id));
      const kept = passthroughContent(providerData);
      return { role: "assistant", content: text === "" ? null : text, ...kept, tool_calls: calls };
    }
    case "tool":
      return { role: "tool", tool_call_id: message.callId, content: message.content };
  }
}
