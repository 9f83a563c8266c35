import type { WireFormat, Wire } from "../wire-format.js";
import { BedrockAssembler, fromBedrockResponse } from "./from-response.js";
import type { BedrockAccess } from "./bedrock-access.js";
import type { AssistantMessage, ContentPart, Message, ToolMessage } from "../../transcript/message.js";
import type { ModelParams, ProviderRequest, ToolDefinition } from "../provider.js";
import { systemTexts } from "../system-texts.js";
import { toArgumentsObject } from "../tool-arguments.js";
import { passthroughContent } from "./passthrough-content.js";

export function createBedrockFormat({ baseUrl, headers }: BedrockAccess, model: string): WireFormat {
  const streamHeaders = { accept: "application/vnd.amazon.eventstream", ...headers };
  const url = `${baseUrl}/model/${encodePathPart(model)}/converse`;
  const streamUrl = `${url}-stream`;
  return {
    toRequest: (request) => ({
      ...(request.stream === true ? { url: streamUrl, headers: streamHeaders } : { url, headers }),
      body: toBedrockRequest(request),
    }),
    fromResponse: fromBedrockResponse,
    stream: { framing: "aws-event-stream", createAssembler: () => new BedrockAssembler() },
    takesImageUrls: false,
  };
}

/** Ids have colons and ARNs have slashes, which must not be taken for parts of the path. */
function encodePathPart(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * A request as the body of Converse and ConverseStream, as
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html defines it; the model is part of
 * the address. System messages inside the history join the system prompt. Converse has no counterpart of `seed`, the
 * penalties, `parallel_tool_calls` and JSON without a schema: they are left out.
 */
export function toBedrockRequest(request: ProviderRequest): Wire {
  const { messages, tools, params } = request;
  const body: Wire = { messages: messagesOf(messages) };
  // The API refuses blank text.
  const prompts = systemTexts(request).filter((text) => text.trim() !== "");
  if (prompts.length > 0) body["system"] = prompts.map((text) => ({ text }));
  const inference = inferenceConfigOf(params);
  if (inference !== null) body["inferenceConfig"] = inference;
  const toolConfig = toolConfigOf(tools, params, messages);
  if (toolConfig !== null) body["toolConfig"] = toolConfig;
  const output = outputConfigOf(params);
  if (output !== null) body["outputConfig"] = output;
  return params.extra_body === undefined ? body : { ...body, ...params.extra_body };
}

function inferenceConfigOf({ max_tokens: maxTokens, temperature, top_p: topP, stop }: ModelParams): Wire | null {
  const config: Wire = {};
  if (maxTokens !== undefined) config["maxTokens"] = maxTokens;
  if (temperature !== undefined) config["temperature"] = temperature;
  if (topP !== undefined) config["topP"] = topP;
  if (stop !== undefined) config["stopSequences"] = [...stop];
  return Object.keys(config).length === 0 ? null : config;
}

function outputConfigOf({ reasoning_effort: effort, response_format: format }: ModelParams): Wire | null {
  const config: Wire = {};
  if (typeof format === "object") {
    const jsonSchema: Wire = { schema: JSON.stringify(format.schema) };
    if (format.name !== undefined) jsonSchema["name"] = format.name;
    config["textFormat"] = { type: "json_schema", structure: { jsonSchema } };
  }
  if (effort !== undefined) config["effort"] = effort;
  return Object.keys(config).length === 0 ? null : config;
}

/**
 * There is no counterpart of `tool_choice: none`, so that the tools themselves are left out. A conversation that has
 * calls in it must name tools all the same; then they are on offer.
 */
function toolConfigOf(
  tools: readonly ToolDefinition[],
  { tool_choice: choice }: ModelParams,
  messages: readonly Message[],
): Wire | null {
  if (tools.length === 0 || (choice === "none" && !messages.some(hasToolBlocks))) return null;
  const config: Wire = { tools: tools.map(toToolSpec) };
  if (choice === "auto") config["toolChoice"] = { auto: {} };
  else if (choice === "required") config["toolChoice"] = { any: {} };
  else if (typeof choice === "object") config["toolChoice"] = { tool: { name: choice.tool } };
  return config;
}

function hasToolBlocks(message: Message): boolean {
  return message.role === "tool" || (message.role === "assistant" && message.toolCalls.length > 0);
}

function toToolSpec(tool: ToolDefinition): Wire {
  const toolSpec: Wire = { name: tool.name };
  if (tool.description !== undefined) toolSpec["description"] = tool.description;
  toolSpec["inputSchema"] = { json: tool.parameters };
  return { toolSpec };
}

/** User and assistant must take turns, so that neighbors of one role become one message; results are the user's. */
function messagesOf(messages: readonly Message[]): readonly Wire[] {
  const sent: { role: "user" | "assistant"; content: unknown[] }[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const blocks = blocksOf(message);
    if (blocks.length === 0) continue;
    const last = sent.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else sent.push({ role, content: [...blocks] });
  }
  return sent;
}

function blocksOf(message: Exclude<Message, { role: "system" }>): readonly unknown[] {
  if (message.role === "tool") return [toResultBlock(message)];
  if (message.role === "assistant") return toAnswerBlocks(message);
  const { content } = message;
  return typeof content === "string" ? [{ text: content }] : content.map(toContentBlock);
}

function toResultBlock({ callId, content, isError }: ToolMessage): Wire {
  const toolResult: Wire = { toolUseId: callId, content: [{ text: content }] };
  if (isError) toolResult["status"] = "error";
  return { toolResult };
}

/** Nothing for a message that says nothing, or holds reasoning alone: the API refuses both. */
function toAnswerBlocks(message: AssistantMessage): readonly unknown[] {
  const isSilent = message.text.trim() === "";
  const kept = passthroughContent(message.providerData);
  if (kept !== null) return isSilent && message.toolCalls.length === 0 ? [] : kept;
  const blocks: unknown[] = isSilent ? [] : [{ text: message.text }];
  for (const call of message.toolCalls) {
    blocks.push({ toolUse: { toolUseId: call.id, name: call.tool, input: toArgumentsObject(call) } });
  }
  return blocks;
}

function toContentBlock(part: ContentPart): Wire {
  if (part.type === "text") return { text: part.text };
  const { source } = part;
  // Addresses do not come here: such a request is refused before.
  if (source.kind === "url") return { text: source.url };
  return { image: { format: formatOf(source.mediaType), source: { bytes: source.data } } };
}

/** The format is named without `image/`; what the API does not know it refuses in its own words. */
function formatOf(mediaType: string): string {
  const format = mediaType.toLowerCase().replace(/^image\//, "");
  return format === "jpg" ? "jpeg" : format;
}
