import {
  userText,
  type AssistantMessage,
  type Message,
  type RequestedToolCall,
  type UserMessage,
} from "../../transcript/message.js";
import { isRecord } from "../../values/json.js";
import { toChatTool } from "../chat-completions/to-chat-parts.js";
import type { ModelParams, ProviderRequest } from "../provider.js";
import { toArgumentsObject } from "../tool-arguments.js";
import type { Wire } from "../wire-format.js";
import { passthroughContent } from "./passthrough-content.js";

/**
 * A request as the body of `/api/chat`. The API has no tool choice: for `none` the tools are left out, and other wishes
 * are. `options` of `extra_body` join the ones of the params.
 */
export function toOllamaRequest(request: ProviderRequest, model: string): Wire {
  const { params } = request;
  const messages: Wire[] = request.system === undefined ? [] : [{ role: "system", content: request.system }];
  for (const message of request.messages) messages.push(toOllamaMessage(message));
  // The API streams unless it is told not to.
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

const thinkValues: Readonly<Record<string, boolean | string>> = {
  none: false,
  false: false,
  true: true,
  minimal: "low",
  xhigh: "max",
};

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
