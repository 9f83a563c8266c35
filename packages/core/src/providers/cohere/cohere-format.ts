import type { HttpProviderAccess } from "../open-http-provider.js";
import type { WireFormat, Wire, EmbeddingFormat } from "../wire-format.js";
import { CohereAssembler, fromCohereResponse } from "./from-response.js";
import type { AssistantMessage, Message } from "../../transcript/message.js";
import { isRecord } from "../../values/json.js";
import { toChatCall, toChatContent, toChatTool } from "../chat-completions/to-chat-parts.js";
import type { ModelParams, ProviderRequest, ToolDefinition } from "../provider.js";
import { systemTexts } from "../system-texts.js";
import { passthroughContent } from "./passthrough-content.js";
import { parseJson } from "../../values/parse-json.js";
import { failure, success } from "../../result.js";

export function createCohereFormat({ baseUrl, headers }: HttpProviderAccess, model: string): WireFormat {
  const url = `${baseUrl}/v2/chat`;
  return {
    toRequest: (request) => ({ url, headers, body: toCohereRequest(request, model) }),
    fromResponse: fromCohereResponse,
    stream: { framing: "sse", createAssembler: () => new CohereAssembler() },
  };
}

/**
 * A request as the body of the v2 Chat API. System messages inside the history join the system prompt, which must come
 * first. Cohere has no counterpart of `parallel_tool_calls`: it is left out.
 */
export function toCohereRequest(request: ProviderRequest, model: string): Wire {
  const { params } = request;
  const body: Wire = { model, messages: messagesOf(request) };
  addParams(body, params);
  const tools = offeredTools(request);
  if (tools.length > 0) {
    body["tools"] = tools.map(toChatTool);
    const choice = toolChoiceOf(params.tool_choice);
    if (choice !== null) body["tool_choice"] = choice;
  }
  if (request.stream === true) body["stream"] = true;
  return params.extra_body === undefined ? body : { ...body, ...params.extra_body };
}

function addParams(body: Wire, params: ModelParams): void {
  if (params.temperature !== undefined) body["temperature"] = params.temperature;
  if (params.top_p !== undefined) body["p"] = params.top_p;
  if (params.max_tokens !== undefined) body["max_tokens"] = params.max_tokens;
  if (params.seed !== undefined) body["seed"] = params.seed;
  if (params.stop !== undefined) body["stop_sequences"] = [...params.stop];
  if (params.frequency_penalty !== undefined) body["frequency_penalty"] = params.frequency_penalty;
  if (params.presence_penalty !== undefined) body["presence_penalty"] = params.presence_penalty;
  // Cohere knows no levels, only whether to think and how many tokens that may take.
  const effort = params.reasoning_effort;
  if (effort !== undefined) body["thinking"] = { type: effort === "none" ? "disabled" : "enabled" };
  const format = params.response_format;
  if (format === "json") body["response_format"] = { type: "json_object" };
  else if (format !== undefined) body["response_format"] = { type: "json_object", json_schema: format.schema };
}

/** The API can be forced to call some tool, but not a certain one; offering only that one has the same effect. */
function offeredTools({ tools, params }: ProviderRequest): readonly ToolDefinition[] {
  const choice = params.tool_choice;
  return typeof choice === "object" ? tools.filter(({ name }) => name === choice.tool) : tools;
}

function toolChoiceOf(choice: ModelParams["tool_choice"]): string | null {
  if (choice === undefined || choice === "auto") return null;
  return choice === "none" ? "NONE" : "REQUIRED";
}

function messagesOf(request: ProviderRequest): Wire[] {
  const instructions = systemTexts(request);
  const sent: Wire[] = instructions.length === 0 ? [] : [{ role: "system", content: instructions.join("\n\n") }];
  for (const message of request.messages) {
    // The API refuses a message that says nothing.
    if (message.role !== "system" && !isEmpty(message)) sent.push(toCohereMessage(message));
  }
  return sent;
}

function isEmpty(message: Message): boolean {
  if (message.role !== "assistant") return false;
  return message.text === "" && message.toolCalls.length === 0 && passthroughContent(message.providerData) === null;
}

function toCohereMessage(message: Exclude<Message, { role: "system" }>): Wire {
  switch (message.role) {
    case "user":
      return { role: "user", content: toChatContent(message.content) };
    case "assistant":
      return toCohereAnswer(message);
    case "tool":
      return { role: "tool", tool_call_id: message.callId, content: toResultContent(message.content) };
  }
}

function toCohereAnswer({ text, toolCalls, providerData }: AssistantMessage): Wire {
  const kept = passthroughContent(providerData);
  if (toolCalls.length === 0) return { role: "assistant", content: text, ...kept };
  // What a model says before its calls is the plan, in Cohere's words.
  const before = kept ?? (text === "" ? {} : { tool_plan: text });
  return { role: "assistant", ...before, tool_calls: toolCalls.map((call) => toChatCall(call, call.id)) };
}

/** As text the API takes a JSON object only; anything else goes into a block. */
function toResultContent(content: string): unknown {
  const parsed = parseJson(content);
  return parsed.success && isRecord(parsed.data) ? content : [{ type: "text", text: content }];
}

/**
 * Version 2 of the Embed API. `clustering` is for strings that are compared with each other, and a string that is too long
 * is rejected instead of cut, since the rest of it would not count.
 * Source: https://docs.cohere.com/reference/embed
 */
export function createCohereEmbedding({ baseUrl, headers }: HttpProviderAccess, model: string): EmbeddingFormat {
  const url = `${baseUrl}/v2/embed`;
  return {
    toRequest: ({ texts, params }) => ({
      url,
      headers,
      body: {
        model,
        texts,
        input_type: "clustering",
        embedding_types: ["float"],
        truncate: "NONE",
        ...params.extra_body,
      },
    }),
    fromReply({ embeddings, meta }) {
      const vectors = isRecord(embeddings) ? embeddings["float"] : null;
      if (!Array.isArray(vectors)) return failure("no embeddings in it");
      const billed =
        isRecord(meta) && isRecord(meta["billed_units"]) ? meta["billed_units"]["input_tokens"] : undefined;
      const usage = typeof billed === "number" ? { inputTokens: billed, outputTokens: 0 } : null;
      return success({ vectors, usage, modelServed: null });
    },
  };
}
