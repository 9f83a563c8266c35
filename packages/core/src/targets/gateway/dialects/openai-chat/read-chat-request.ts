import { parseToolArguments } from "../../../../providers/tool-arguments.js";
import type { ModelParams } from "../../../../providers/provider.js";
import type { ContentPart, Message } from "../../../../transcript/message.js";
import { toImageSource, type AgentRequest } from "../../agent-request.js";
import * as z from "../../../../values/deferred-zod.js";
import { changed, dropped, each, keysOf, kindsOf, refused, type Rule } from "../translation-table.js";

const textPart = z.object({ type: z.literal("text"), text: z.string() });
const refusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });
const imagePart = z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string() }) });

const texts = z.union([z.string(), z.array(textPart)]);

const systemMessage = z.object({ role: z.enum(["system", "developer"]), content: texts });
const userMessage = z.object({
  role: z.literal("user"),
  content: z.union([z.string(), z.array(z.union([textPart, imagePart]))]),
});
const calledFunction = z.object({ name: z.string(), arguments: z.string() });
const callSchema = z.object({ id: z.string(), type: z.literal("function").nullish(), function: calledFunction });
const assistantMessage = z.object({
  role: z.literal("assistant"),
  content: z.union([z.string(), z.array(z.union([textPart, refusalPart]))]).nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(callSchema).nullish(),
});
const toolMessage = z.object({ role: z.literal("tool"), tool_call_id: z.string(), content: texts });

const messageSchema = z.discriminatedUnion("role", [systemMessage, userMessage, assistantMessage, toolMessage]);

const functionSchema = z.object({
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.json()).nullish(),
  strict: z.boolean().nullish(),
});
const toolSchema = z.object({ type: z.literal("function"), function: functionSchema });
const streamOptions = z.object({ include_usage: z.boolean().nullish() });

/** What a translation reads of `POST /v1/chat/completions`, as OpenAI's API reference has it. */
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
  stream_options: streamOptions.nullish(),
});

const speaker = dropped("other APIs have no names of speakers");
const noAccount = dropped("it is about the account and not the answer");
const onlyOpenai = dropped("only OpenAI's models know it");
const contentRule = each(
  kindsOf("type", {
    text: keysOf(textPart),
    refusal: keysOf(refusalPart),
    image_url: keysOf(imagePart, {
      image_url: keysOf(imagePart.shape.image_url, { detail: dropped("only OpenAI's models know it", "auto") }),
    }),
  }),
);
const systemRule = keysOf(systemMessage, { name: speaker });

/** What becomes of the keys of a request that is translated. */
export const chatTable: Rule = keysOf(chatRequestSchema, {
  messages: each(
    kindsOf("role", {
      system: systemRule,
      developer: (value, path) => [
        ...changed("it is a system message for the model of the test")(value, `${path}(developer)`),
        ...systemRule(value, path),
      ],
      user: keysOf(userMessage, { name: speaker, content: contentRule }),
      assistant: keysOf(assistantMessage, {
        name: speaker,
        content: contentRule,
        tool_calls: each(
          kindsOf("type", { function: keysOf(callSchema, { function: keysOf(calledFunction) }) }, "function"),
        ),
        annotations: dropped("it is about the answer"),
      }),
      tool: keysOf(toolMessage, { name: speaker, content: contentRule }),
    }),
  ),
  tools: each(kindsOf("type", { function: keysOf(toolSchema, { function: keysOf(functionSchema) }) })),
  stream_options: keysOf(streamOptions, { include_obfuscation: dropped("it is about the connection") }),
  n: refused("KindLM asks for one answer", 1),
  logprobs: refused("KindLM does not ask for probabilities", false),
  top_logprobs: refused("KindLM does not ask for probabilities", 0),
  modalities: (value, path) =>
    Array.isArray(value) && value.every((one) => one === "text")
      ? []
      : refused("KindLM answers with text")(value, path),
  metadata: noAccount,
  prompt_cache_key: noAccount,
  prompt_cache_retention: noAccount,
  safety_identifier: noAccount,
  service_tier: dropped("it is about the account and not the answer", "auto", "default"),
  store: dropped("it is about the account and not the answer", false),
  user: noAccount,
  prediction: dropped("it makes the answer faster and not different"),
  verbosity: onlyOpenai,
});

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
      ...(typeof tool.strict === "boolean" ? { strict: tool.strict } : {}),
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
