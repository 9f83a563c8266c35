import type { AssistantMessage, ContentPart, Message } from "../../../transcript/message.js";
import type { ModelParams, ProviderRequest, ToolDefinition } from "../../provider.js";
import { toImageUrl } from "../../chat-completions/to-chat-parts.js";
import { toArgumentsText } from "../../tool-arguments.js";
import type { Wire } from "../../wire-format.js";
import { passthroughContent } from "./passthrough-content.js";

export interface ResponsesRequestOptions {
  model: string;
  /** Whose reasoning may go back, see {@link passthroughContent}. */
  source: string;
}

/**
 * A request as the body of the Responses API (https://developers.openai.com/api/reference/resources/responses). The
 * server stores nothing and gets the whole conversation each time. The API has no counterpart of `seed`, `stop` and
 * the penalties: they are left out.
 */
export function toResponsesRequest(request: ProviderRequest, { model, source }: ResponsesRequestOptions): Wire {
  const { params } = request;
  const body: Wire = { model, input: inputOf(request, source), store: false };
  if (params.temperature !== undefined) body["temperature"] = params.temperature;
  if (params.top_p !== undefined) body["top_p"] = params.top_p;
  if (params.max_tokens !== undefined) body["max_output_tokens"] = params.max_tokens;
  if (params.reasoning_effort !== undefined) body["reasoning"] = { effort: params.reasoning_effort };
  if (params.response_format !== undefined) body["text"] = { format: toTextFormat(params.response_format) };
  if (request.tools.length > 0) {
    body["tools"] = request.tools.map(toFunctionTool);
    addToolParams(body, params);
  }
  if (request.stream === true) body["stream"] = true;
  return params.extra_body === undefined ? body : { ...body, ...params.extra_body };
}

/** The prompt is a message, not `instructions`: JSON mode looks for the word JSON in the messages only. */
function inputOf(request: ProviderRequest, source: string): readonly unknown[] {
  const input: unknown[] = request.system === undefined ? [] : [{ role: "system", content: request.system }];
  for (const message of request.messages) input.push(...itemsOf(message, source));
  return input;
}

function itemsOf(message: Message, source: string): readonly unknown[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }];
    case "user": {
      const { content } = message;
      return [{ role: "user", content: typeof content === "string" ? content : content.map(toInputPart) }];
    }
    case "assistant":
      return passthroughContent(message.providerData, source) ?? answerItems(message);
    case "tool":
      return [{ type: "function_call_output", call_id: message.callId, output: message.content }];
  }
}

function answerItems({ text, toolCalls }: AssistantMessage): readonly unknown[] {
  const items: unknown[] = text === "" ? [] : [{ role: "assistant", content: text }];
  for (const call of toolCalls) {
    items.push({ type: "function_call", call_id: call.id, name: call.tool, arguments: toArgumentsText(call) });
  }
  return items;
}

/** `auto` is the default of `detail`; servers that imitate OpenAI want it said. */
function toInputPart(part: ContentPart): Wire {
  if (part.type === "text") return { type: "input_text", text: part.text };
  return { type: "input_image", image_url: toImageUrl(part.source), detail: "auto" };
}

function toTextFormat(format: NonNullable<ModelParams["response_format"]>): Wire {
  if (format === "json") return { type: "json_object" };
  const wanted: Wire = { type: "json_schema", name: format.name ?? "answer", schema: format.schema };
  if (format.strict !== undefined) wanted["strict"] = format.strict;
  return wanted;
}

/**
 * Strict is the default here, unlike in chat completions, and would make optional arguments required: a test must mean
 * the same through both APIs.
 */
function toFunctionTool(tool: ToolDefinition): Wire {
  const definition: Wire = { type: "function", name: tool.name };
  if (tool.description !== undefined) definition["description"] = tool.description;
  return { ...definition, parameters: tool.parameters, strict: tool.strict ?? false };
}

function addToolParams(body: Wire, { tool_choice: choice, parallel_tool_calls: parallel }: ModelParams): void {
  if (choice !== undefined) {
    body["tool_choice"] = typeof choice === "object" ? { type: "function", name: choice.tool } : choice;
  }
  if (parallel !== undefined) body["parallel_tool_calls"] = parallel;
}
