import { parseToolArguments } from "../../../../providers/tool-arguments.js";
import type { ModelParams } from "../../../../providers/provider.js";
import type { AssistantMessage, ContentPart, Message } from "../../../../transcript/message.js";
import { toImageSource, type AgentRequest } from "../../agent-request.js";
import * as z from "../../../../values/deferred-zod.js";
import { changed, dropped, each, whole, keysOf, kindsOf, refused, type Rule } from "../translation-table.js";

const textPart = z.object({ type: z.enum(["input_text", "output_text"]), text: z.string() });
const refusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });
const imagePart = z.object({ type: z.literal("input_image"), image_url: z.string() });

const messageItem = z.object({
  type: z.literal("message").optional(),
  role: z.enum(["system", "developer", "user", "assistant"]),
  content: z.union([z.string(), z.array(z.discriminatedUnion("type", [textPart, refusalPart, imagePart]))]),
});
const callItem = z.object({
  type: z.literal("function_call"),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
const resultItem = z.object({
  type: z.literal("function_call_output"),
  call_id: z.string(),
  output: z.union([z.string(), z.array(textPart)]),
});
/** What the model thought; who wants it back keeps it in KindLM. */
const reasoningItem = z.object({ type: z.literal("reasoning") });
const referenceItem = z.object({ type: z.literal("item_reference"), id: z.string() });

const itemSchema = z.union([messageItem, callItem, resultItem, reasoningItem, referenceItem]);

const toolSchema = z.object({
  type: z.literal("function"),
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.json()).nullish(),
  strict: z.boolean().nullish(),
});

const formatSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text") }),
  z.object({ type: z.literal("json_object") }),
  z.object({
    type: z.literal("json_schema"),
    name: z.string(),
    schema: z.record(z.string(), z.json()),
    strict: z.boolean().nullish(),
  }),
]);
const reasoningSchema = z.object({ effort: z.string().nullish() });
const textSchema = z.object({ format: formatSchema.nullish() });

/** What a translation reads of `POST /v1/responses`, as OpenAI's API reference has it. */
export const responsesRequestSchema = z.object({
  model: z.string().nullish(),
  input: z.union([z.string(), z.array(itemSchema)]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  tools: z.array(toolSchema).nullish(),
  tool_choice: z
    .union([z.enum(["auto", "none", "required"]), z.object({ type: z.literal("function"), name: z.string() })])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  max_output_tokens: z.number().nullish(),
  reasoning: reasoningSchema.nullish(),
  text: textSchema.nullish(),
  stream: z.boolean().nullish(),
});

const ofItem = { id: whole, status: whole };
const noAccount = dropped("it is about the account and not the answer");
const onlyOpenai = dropped("only OpenAI's models know it");
const contentRule = each(
  kindsOf("type", {
    input_text: keysOf(textPart),
    output_text: keysOf(textPart, { annotations: whole, logprobs: whole }),
    refusal: keysOf(refusalPart),
    input_image: keysOf(imagePart, { detail: dropped("only OpenAI's models know it", "auto") }),
  }),
);
const message: Rule = (value, path) => [
  ...kindsOf("role", {
    system: whole,
    user: whole,
    assistant: whole,
    developer: (_, at) => changed("it is a system message for the model of the test")(value, `${at}(developer)`),
  })(value, path),
  ...keysOf(messageItem, { ...ofItem, content: contentRule, phase: onlyOpenai })(value, path),
];

/** What becomes of the keys of a request that is translated. */
export const responsesTable: Rule = keysOf(responsesRequestSchema, {
  input: each(
    kindsOf(
      "type",
      {
        message,
        function_call: keysOf(callItem, ofItem),
        function_call_output: keysOf(resultItem, { ...ofItem, output: contentRule }),
        reasoning: keysOf(reasoningItem, { ...ofItem, summary: whole, content: whole, encrypted_content: whole }),
        item_reference: keysOf(referenceItem),
      },
      "message",
    ),
  ),
  tools: each(kindsOf("type", { function: keysOf(toolSchema) })),
  reasoning: keysOf(reasoningSchema, {
    summary: dropped("only OpenAI's models summarize what they think"),
    generate_summary: dropped("only OpenAI's models summarize what they think"),
    encrypted_content: onlyOpenai,
  }),
  text: keysOf(textSchema, { verbosity: onlyOpenai }),
  background: refused("the answer comes with the reply", false),
  stream_options: dropped("it is about the connection"),
  include: dropped("it adds to the reply of OpenAI's models only"),
  truncation: dropped("only OpenAI's models know it", "disabled"),
  max_tool_calls: dropped("it limits the tools of OpenAI's servers"),
  top_logprobs: refused("KindLM does not ask for probabilities", 0),
  metadata: noAccount,
  client_metadata: noAccount,
  prompt_cache_key: noAccount,
  prompt_cache_retention: noAccount,
  safety_identifier: noAccount,
  service_tier: dropped("it is about the account and not the answer", "auto", "default"),
  store: whole,
  user: noAccount,
});

/** Translates a request to the Responses API back. `conversation` is all that it continues; `keptOf` as for chats. */
export function readResponsesRequest(
  request: ResponsesRequest,
  conversation: readonly ResponsesItem[],
  keptOf: (callId: string) => unknown,
): AgentRequest {
  const system = typeof request.instructions === "string" ? [request.instructions] : [];
  const messages: Message[] = [];
  const toolOf = new Map<string, string>();
  for (const item of conversation) {
    if ("role" in item) {
      if ((item.role === "system" || item.role === "developer") && messages.length === 0) system.push(textOf(item));
      else messages.push(toMessage(item));
    } else if (item.type === "function_call") {
      toolOf.set(item.call_id, item.name);
      addCall(messages, item, keptOf(item.call_id));
    } else if (item.type === "function_call_output") {
      const content = resultText(item);
      const tool = toolOf.get(item.call_id) ?? "";
      messages.push({ role: "tool", callId: item.call_id, tool, content, isError: false });
    }
  }
  return {
    system: system.length > 0 ? system.join("\n\n") : null,
    messages,
    tools: (request.tools ?? []).map((tool) => ({
      name: tool.name,
      ...(typeof tool.description === "string" ? { description: tool.description } : {}),
      parameters: tool.parameters ?? { type: "object", properties: {} },
      ...(typeof tool.strict === "boolean" ? { strict: tool.strict } : {}),
    })),
    params: paramsOf(request),
  };
}

type MessageItem = Extract<ResponsesItem, { role: string }>;

function resultText({ output }: Extract<ResponsesItem, { type: "function_call_output" }>): string {
  return typeof output === "string" ? output : output.map(({ text }) => text).join("");
}

function toMessage(item: MessageItem): Message {
  if (item.role === "assistant") return { role: "assistant", text: textOf(item), toolCalls: [] };
  if (item.role !== "user") return { role: "system", content: textOf(item) };
  if (typeof item.content === "string") return { role: "user", content: item.content };
  const parts = item.content.flatMap((part): ContentPart[] => {
    if (part.type === "input_image") return [{ type: "image", source: toImageSource(part.image_url) }];
    return part.type === "refusal" ? [] : [{ type: "text", text: part.text }];
  });
  return { role: "user", content: parts };
}

function textOf({ content }: MessageItem): string {
  if (typeof content === "string") return content;
  return content.map((part) => ("text" in part ? part.text : "refusal" in part ? part.refusal : "")).join("");
}

/** Text and calls of one answer are separate items here, and one message everywhere else. */
function addCall(messages: Message[], item: Extract<ResponsesItem, { type: "function_call" }>, kept: unknown): void {
  const call = { id: item.call_id, tool: item.name, ...parseToolArguments(item.arguments) };
  const last = messages.at(-1);
  const answer: AssistantMessage =
    last?.role === "assistant"
      ? { ...last, toolCalls: [...last.toolCalls, call] }
      : { role: "assistant", text: "", toolCalls: [call] };
  if (last?.role === "assistant") messages.pop();
  messages.push(kept === undefined ? answer : { ...answer, providerData: kept });
}

function paramsOf(request: ResponsesRequest): ModelParams {
  const { tool_choice: choice, text, reasoning } = request;
  const params: ModelParams = {};
  if (typeof request.temperature === "number") params.temperature = request.temperature;
  if (typeof request.top_p === "number") params.top_p = request.top_p;
  if (typeof request.max_output_tokens === "number") params.max_tokens = request.max_output_tokens;
  if (typeof reasoning?.effort === "string") params.reasoning_effort = reasoning.effort;
  if (typeof request.parallel_tool_calls === "boolean") params.parallel_tool_calls = request.parallel_tool_calls;
  if (typeof choice === "string") params.tool_choice = choice;
  else if (choice) params.tool_choice = { tool: choice.name };
  const format = text?.format;
  if (format?.type === "json_object") params.response_format = "json";
  if (format?.type === "json_schema") {
    const { name, schema, strict } = format;
    params.response_format = { name, schema, ...(typeof strict === "boolean" ? { strict } : {}) };
  }
  return params;
}

/** An item of a conversation, without references to others. */
export type ResponsesItem =
  | z.output<typeof messageItem>
  | z.output<typeof callItem>
  | z.output<typeof resultItem>
  | z.output<typeof reasoningItem>;

export type ResponsesRequest = z.output<typeof responsesRequestSchema>;
