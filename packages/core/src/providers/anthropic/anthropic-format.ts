import type { HttpProviderAccess } from "../open-http-provider.js";
import type { ModelParams, ProviderRequest, ToolDefinition } from "../provider.js";
import type { WireFormat, Wire } from "../wire-format.js";
import { AnthropicAssembler, fromAnthropicResponse } from "./from-response.js";
import { apiVersion, versionHeader } from "./version-header.js";
import type { AssistantMessage, ContentPart, Message, ToolMessage } from "../../transcript/message.js";
import { systemTexts } from "../system-texts.js";
import { toArgumentsObject } from "../tool-arguments.js";
import { passthroughContent } from "./passthrough-content.js";

/** The last version of the API that takes `temperature` and `top_p`; later ones refuse a request that has them. */
const samplingApiVersion = "2023-06-01";

/** The Messages API requires a bound; this one applies where the config sets no `max_tokens`. */
const defaultMaxTokens = 4_096;

export function createAnthropicFormat({ baseUrl, headers }: HttpProviderAccess, model: string): WireFormat {
  const url = `${baseUrl}/v1/messages`;
  const isVersionOwn = headers[versionHeader] !== apiVersion;
  const samplingHeaders = isVersionOwn ? headers : { ...headers, [versionHeader]: samplingApiVersion };
  return {
    toRequest: (request) => ({
      url,
      headers: hasSampling(request.params) ? samplingHeaders : headers,
      body: toAnthropicRequest(request, model),
    }),
    fromResponse: fromAnthropicResponse,
    parameterGroups: ["output_config"],
    countUrl: `${url}/count_tokens`,
    stream: { framing: "sse", createAssembler: () => new AnthropicAssembler() },
  };
}

function hasSampling({ temperature, top_p: topP, extra_body: extra = {} }: ModelParams): boolean {
  return (
    temperature !== undefined || topP !== undefined || ["temperature", "top_p", "top_k"].some((key) => key in extra)
  );
}

/**
 * A request as the body of the Messages API. System messages inside the history join the system prompt. Anthropic has
 * no counterpart of `seed` and the penalties: they are left out.
 */
export function toAnthropicRequest(request: ProviderRequest, model: string): Wire {
  const { params } = request;
  const system = systemTexts(request).join("\n\n");
  const body: Wire = { model, max_tokens: params.max_tokens ?? defaultMaxTokens };
  if (system !== "") body["system"] = system;
  body["messages"] = messagesOf(request.messages);
  if (params.temperature !== undefined) body["temperature"] = params.temperature;
  if (params.top_p !== undefined) body["top_p"] = params.top_p;
  if (params.stop !== undefined) body["stop_sequences"] = [...params.stop];
  const output = outputConfigOf(params);
  if (output !== null) body["output_config"] = output;
  if (request.tools.length > 0) {
    body["tools"] = request.tools.map(toAnthropicTool);
    const choice = toolChoiceOf(params);
    if (choice !== null) body["tool_choice"] = choice;
  }
  if (request.stream === true) body["stream"] = true;
  return params.extra_body === undefined ? body : { ...body, ...params.extra_body };
}

/** There is no counterpart of JSON without a schema: the prompt has to ask for it. */
function outputConfigOf({ reasoning_effort: effort, response_format: format }: ModelParams): Wire | null {
  const config: Wire = {};
  if (effort !== undefined) config["effort"] = effort;
  if (typeof format === "object") config["format"] = { type: "json_schema", schema: format.schema };
  return Object.keys(config).length === 0 ? null : config;
}

function toAnthropicTool(tool: ToolDefinition): Wire {
  const definition: Wire = { name: tool.name };
  if (tool.description !== undefined) definition["description"] = tool.description;
  definition["input_schema"] = tool.parameters;
  if (tool.strict !== undefined) definition["strict"] = tool.strict;
  return definition;
}

function toolChoiceOf({ tool_choice: choice, parallel_tool_calls: parallel }: ModelParams): Wire | null {
  if (choice === "none") return { type: "none" };
  if (choice === undefined && parallel === undefined) return null;
  const wish: Wire =
    typeof choice === "object" ? { type: "tool", name: choice.tool } : { type: choice === "required" ? "any" : "auto" };
  return parallel === undefined ? wish : { ...wish, disable_parallel_tool_use: !parallel };
}

/** All results of one turn go into one user message, as the API asks for. */
function messagesOf(messages: readonly Message[]): unknown[] {
  const sent: unknown[] = [];
  let results: unknown[] | null = null;
  for (const message of messages) {
    if (message.role === "tool") {
      if (results === null) sent.push({ role: "user", content: (results = []) });
      results.push(toResultBlock(message));
      continue;
    }
    results = null;
    if (message.role === "user") {
      const { content } = message;
      sent.push({ role: "user", content: typeof content === "string" ? content : content.map(toAnthropicPart) });
    } else if (message.role === "assistant") {
      const content = toAnthropicAnswer(message);
      if (content !== null) sent.push({ role: "assistant", content });
    }
  }
  return sent;
}

function toResultBlock(message: ToolMessage): Wire {
  const block: Wire = { type: "tool_result", tool_use_id: message.callId, content: message.content };
  return message.isError ? { ...block, is_error: true } : block;
}

/** Null for a message that says nothing: the API refuses empty content. */
function toAnthropicAnswer(message: AssistantMessage): unknown {
  const kept = passthroughContent(message.providerData);
  if (kept !== null) return kept;
  if (message.toolCalls.length === 0) return message.text === "" ? null : message.text;
  const blocks: unknown[] = message.text === "" ? [] : [{ type: "text", text: message.text }];
  for (const call of message.toolCalls) {
    blocks.push({ type: "tool_use", id: call.id, name: call.tool, input: toArgumentsObject(call) });
  }
  return blocks;
}

function toAnthropicPart(part: ContentPart): Wire {
  if (part.type === "text") return { type: "text", text: part.text };
  const { source } = part;
  if (source.kind === "url") return { type: "image", source: { type: "url", url: source.url } };
  return { type: "image", source: { type: "base64", media_type: source.mediaType, data: source.data } };
}
