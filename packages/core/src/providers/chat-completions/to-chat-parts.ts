import type { ContentPart, ImageSource, RequestedToolCall, UserMessage } from "../../transcript/message.js";
import type { JsonObject, JsonValue } from "../../values/json.js";
import type { ModelParams, ToolDefinition } from "../provider.js";
import { toArgumentsText } from "../tool-arguments.js";

/** The parameters whose names and values are the same wherever chat completions are spoken. */
export function toChatSampling(params: ModelParams): JsonObject {
  const sampling: JsonObject = {};
  if (params.temperature !== undefined) sampling["temperature"] = params.temperature;
  if (params.top_p !== undefined) sampling["top_p"] = params.top_p;
  if (params.stop !== undefined) sampling["stop"] = [...params.stop];
  if (params.frequency_penalty !== undefined) sampling["frequency_penalty"] = params.frequency_penalty;
  if (params.presence_penalty !== undefined) sampling["presence_penalty"] = params.presence_penalty;
  if (params.reasoning_effort !== undefined) sampling["reasoning_effort"] = params.reasoning_effort;
  return sampling;
}

export function toChatResponseFormat(format: NonNullable<ModelParams["response_format"]>): JsonObject {
  if (format === "json") return { type: "json_object" };
  const described: JsonObject = { name: format.name ?? "answer", schema: format.schema };
  if (format.strict !== undefined) described["strict"] = format.strict;
  return { type: "json_schema", json_schema: described };
}

export function toChatTool(tool: ToolDefinition): JsonObject {
  const definition: JsonObject = { name: tool.name };
  if (tool.description !== undefined) definition["description"] = tool.description;
  definition["parameters"] = tool.parameters;
  if (tool.strict !== undefined) definition["strict"] = tool.strict;
  return { type: "function", function: definition };
}

/** The wish for one tool; the others are words that differ between providers. */
export function toChatToolChoice(tool: string): JsonObject {
  return { type: "function", function: { name: tool } };
}

/** The content of a user message; an image is an address, `data:` when it is at hand. */
export function toChatContent(content: UserMessage["content"]): JsonValue {
  return typeof content === "string" ? content : content.map(toChatPart);
}

function toChatPart(part: ContentPart): JsonObject {
  if (part.type === "text") return { type: "text", text: part.text };
  return { type: "image_url", image_url: { url: toImageUrl(part.source) } };
}

/** An image as an address: its own, or one that holds the data. */
export function toImageUrl(source: ImageSource): string {
  return source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

/** A call as it goes back under this id. */
export function toChatCall(call: RequestedToolCall, id: string): JsonObject {
  return { id, type: "function", function: { name: call.tool, arguments: toArgumentsText(call) } };
}
