import type { Clock } from "../../../values/clock.js";
import type { Recorder } from "../../program/recorder.js";
import type { GatewayReply, GatewayRequest } from "../create-gateway-server.js";
import { failureReply, parseRequestBody } from "../request-body.js";
import type { ModelService } from "../serve-model.js";
import { renderChatReply, renderChatStream } from "./render-chat-reply.js";
import { parseToolArguments } from "../../../providers/tool-arguments.js";
import type { ModelParams } from "../../../providers/provider.js";
import type { ContentPart, Message } from "../../../transcript/message.js";
import { toImageSource, type AgentRequest } from "../agent-request.js";
import * as z from "../../../values/deferred-zod.js";

/** Unknown keys are allowed: agents send more than a test needs. */
const textPart = z.object({ type: z.literal("text"), text: z.string() });
const refusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });
const imagePart = z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string() }) });

const texts = z.union([z.string(), z.array(textPart)]);

const messageSchema = z.discriminatedUnion("role", [
  z.object({ role: z.enum(["system", "developer"]), content: texts }),
  z.object({ role: z.literal("user"), content: z.union([z.string(), z.array(z.union([textPart, imagePart]))]) }),
  z.object({
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(z.union([textPart, refusalPart]))]).nullish(),
    tool_calls: z
      .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
      .nullish(),
  }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string(), content: texts }),
]);

const toolSchema = z.object({
  type: z.literal("function"),
  function: z.object({
    name: z.string(),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.json()).nullish(),
  }),
});

/** The part of `POST /v1/chat/completions` that is passed on, as OpenAI's API reference has it. */
export const chatRequestSchema = z.object({
  model: z.string().nullish(),
  messages: z.array(messageSchema).min(1),
  tools: z.array(toolSchema).nullish(),
  tool_choice: z
    .union([
      z.enum(["auto", "none", "required"]),
      z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) }),
    ])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  max_tokens: z.number().nullish(),
  max_completion_tokens: z.number().nullish(),
  seed: z.number().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  frequency_penalty: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  reasoning_effort: z.string().nullish(),
  response_format: z
    .discriminatedUnion("type", [
      z.object({ type: z.literal("text") }),
      z.object({ type: z.literal("json_object") }),
      z.object({
        type: z.literal("json_schema"),
        json_schema: z.object({
          name: z.string(),
          schema: z.record(z.string(), z.json()),
          strict: z.boolean().nullish(),
        }),
      }),
    ])
    .nullish(),
  n: z.literal(1).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
});

/** `POST /v1/chat/completions`, as OpenAI's API reference has it. */
export async function serveChat(
  request: GatewayRequest,
  service: ModelService,
  recorder: Recorder,
  clock: Clock,
): Promise<GatewayReply> {
  const parsed = parseRequestBody(chatRequestSchema, request.body);
  if (!parsed.success) return parsed.error;
  const { messages, model, stream, stream_options: options } = parsed.data;
  for (const message of messages) {
    if (message.role === "tool") recorder.addResult(message.tool_call_id, textOf(message.content));
  }
  const answered = await service.ask(readChatRequest(parsed.data, service.keptOf), request.signal);
  if (!answered.success) return failureReply(answered.error);
  const response = answered.data;
  const stamp = {
    id: `chatcmpl-${recorder.transcript.turns.length}`,
    created: Math.floor(clock.now() / 1_000),
    model: response.modelServed ?? model ?? "kindlm",
  };
  if (stream !== true) return renderChatReply(response, stamp);
  return renderChatStream(response, stamp, options?.include_usage === true);
}

/**
 * Translates a chat completion back. `keptOf` gives what an adapter wants to have sent back unchanged with the answer
 * that holds a call, which no agent knows of.
 */
export function readChatRequest(request: ChatRequest, keptOf: (callId: string) => unknown): AgentRequest {
  const system: string[] = [];
  const messages: Message[] = [];
  const toolOf = new Map<string, string>();
  for (const message of request.messages) {
    if ((message.role === "system" || message.role === "developer") && messages.length === 0) {
      system.push(textOf(message.content));
    } else messages.push(toMessage(message, toolOf, keptOf));
  }
  return {
    system: system.length > 0 ? system.join("\n\n") : null,
    messages,
    tools: (request.tools ?? []).map(({ function: tool }) => ({
      name: tool.name,
      ...(typeof tool.description === "string" ? { description: tool.description } : {}),
      parameters: tool.parameters ?? { type: "object", properties: {} },
    })),
    params: paramsOf(request),
  };
}

function toMessage(message: ChatMessage, toolOf: Map<string, string>, keptOf: (callId: string) => unknown): Message {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", content: textOf(message.content) };
    case "user":
      return {
        role: "user",
        content: typeof message.content === "string" ? message.content : message.content.map(toPart),
      };
    case "assistant": {
      const calls = (message.tool_calls ?? []).map(({ id, function: called }) => {
        toolOf.set(id, called.name);
        return { id, tool: called.name, ...parseToolArguments(called.arguments) };
      });
      const kept = calls[0] === undefined ? undefined : keptOf(calls[0].id);
      const text = textOf(message.content ?? "");
      return { role: "assistant", text, toolCalls: calls, ...(kept === undefined ? {} : { providerData: kept }) };
    }
    case "tool": {
      const callId = message.tool_call_id;
      const content = textOf(message.content);
      return { role: "tool", callId, tool: toolOf.get(callId) ?? "", content, isError: false };
    }
  }
}

function textOf(content: string | readonly ({ text: string } | { refusal: string })[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => ("text" in part ? part.text : part.refusal)).join("");
}

function toPart(part: { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } }): ContentPart {
  return part.type === "text"
    ? { type: "text", text: part.text }
    : { type: "image", source: toImageSource(part.image_url.url) };
}

function paramsOf(request: ChatRequest): ModelParams {
  const { tool_choice: choice, response_format: format, stop } = request;
  const params: ModelParams = {};
  for (const key of ["temperature", "top_p", "seed", "frequency_penalty", "presence_penalty"] as const) {
    const value = request[key];
    if (typeof value === "number") params[key] = value;
  }
  const maxTokens = request.max_completion_tokens ?? request.max_tokens;
  if (typeof maxTokens === "number") params.max_tokens = maxTokens;
  if (typeof stop === "string") params.stop = [stop];
  else if (Array.isArray(stop) && stop.length > 0) params.stop = stop;
  if (typeof request.reasoning_effort === "string") params.reasoning_effort = request.reasoning_effort;
  if (typeof request.parallel_tool_calls === "boolean") params.parallel_tool_calls = request.parallel_tool_calls;
  if (typeof choice === "string") params.tool_choice = choice;
  else if (choice) params.tool_choice = { tool: choice.function.name };
  if (format?.type === "json_object") params.response_format = "json";
  if (format?.type === "json_schema") {
    const { name, schema, strict } = format.json_schema;
    params.response_format = { name, schema, ...(typeof strict === "boolean" ? { strict } : {}) };
  }
  return params;
}

type ChatRequest = z.output<typeof chatRequestSchema>;
type ChatMessage = ChatRequest["messages"][number];
