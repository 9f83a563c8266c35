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

export interface OpenaiRequestOptions {
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
