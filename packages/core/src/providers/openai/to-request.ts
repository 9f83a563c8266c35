import type { ContentPart, ImageSource, Message, RequestedToolCall } from "../../transcript/message.js";
import type { JsonObject, JsonValue } from "../../values/json.js";
import type { ModelParams, ProviderRequest, ToolDefinition } from "../provider.js";

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
  const messages: JsonValue[] = [];
  if (request.system !== undefined) messages.push({ role: "system", content: request.system });
  for (const message of request.messages) messages.push(toOpenaiMessage(message));
  const body: JsonObject = { model, messages };
  addParams(body, request.params, maxTokensKey);
  if (request.tools.length > 0) {
    body["tools"] = request.tools.map(toOpenaiTool);
    addToolParams(body, request.params);
  }
  const format = request.params.response_format;
  if (format !== undefined) body["response_format"] = toOpenaiResponseFormat(format);
  if (request.stream === true) Object.assign(body, { stream: true, stream_options: { include_usage: true } });
  return request.params.extra_body === undefined ? body : { ...body, ...request.params.extra_body };
}

function addParams(body: JsonObject, params: ModelParams, maxTokensKey: string): void {
  if (params.temperature !== undefined) body["temperature"] = params.temperature;
  if (params.top_p !== undefined) body["top_p"] = params.top_p;
  if (params.max_tokens !== undefined) body[maxTokensKey] = params.max_tokens;
  if (params.seed !== undefined) body["seed"] = params.seed;
  if (params.stop !== undefined) body["stop"] = [...params.stop];
  if (params.frequency_penalty !== undefined) body["frequency_penalty"] = params.frequency_penalty;
  if (params.presence_penalty !== undefined) body["presence_penalty"] = params.presence_penalty;
  if (params.reasoning_effort !== undefined) body["reasoning_effort"] = params.reasoning_effort;
}

export function toOpenaiResponseFormat(format: NonNullable<ModelParams["response_format"]>): JsonObject {
  if (format === "json") return { type: "json_object" };
  const described: JsonObject = { name: format.name ?? "answer", schema: format.schema };
  if (format.strict !== undefined) described["strict"] = format.strict;
  return { type: "json_schema", json_schema: described };
}

/** OpenAI refuses these two in a request without tools. */
function addToolParams(body: JsonObject, params: ModelParams): void {
  const choice = params.tool_choice;
  if (typeof choice === "object") body["tool_choice"] = { type: "function", function: { name: choice.tool } };
  else if (choice !== undefined) body["tool_choice"] = choice;
  if (params.parallel_tool_calls !== undefined) body["parallel_tool_calls"] = params.parallel_tool_calls;
}

function toOpenaiTool(tool: ToolDefinition): JsonObject {
  const definition: JsonObject = { name: tool.name };
  if (tool.description !== undefined) definition["description"] = tool.description;
  definition["parameters"] = tool.parameters;
  return { type: "function", function: definition };
}

function toOpenaiMessage(message: Message): JsonObject {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user": {
      const { content } = message;
      return { role: "user", content: typeof content === "string" ? content : content.map(toOpenaiPart) };
    }
    case "assistant": {
      const { text, toolCalls } = message;
      if (toolCalls.length === 0) return { role: "assistant", content: text };
      const calls = toolCalls.map(toOpenaiCall);
      return { role: "assistant", content: text === "" ? null : text, tool_calls: calls };
    }
    case "tool":
      return { role: "tool", tool_call_id: message.callId, content: message.content };
  }
}

function toOpenaiPart(part: ContentPart): JsonObject {
  if (part.type === "text") return { type: "text", text: part.text };
  return { type: "image_url", image_url: { url: toImageUrl(part.source) } };
}

/** An image as an address: its own, or one that holds the data. */
export function toImageUrl(source: ImageSource): string {
  return source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

function toOpenaiCall(call: RequestedToolCall): JsonObject {
  return { id: call.id, type: "function", function: { name: call.tool, arguments: toArgumentsText(call) } };
}

/** Arguments that were not JSON go back as the model wrote them, so that it sees its own mistake. */
export function toArgumentsText(call: RequestedToolCall): string {
  return call.malformed?.raw ?? JSON.stringify(call.args ?? {});
}
