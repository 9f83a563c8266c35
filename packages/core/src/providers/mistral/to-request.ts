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
import type { Wire } from "../wire-format.js";
import { passthroughContent } from "./passthrough-content.js";
import { toMistralCallId } from "./to-mistral-call-id.js";

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
