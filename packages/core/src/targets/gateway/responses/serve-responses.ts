import type { Clock } from "../../../values/clock.js";
import type { Recorder } from "../../program/recorder.js";
import { errorReply, type GatewayReply, type GatewayRequest } from "../create-gateway-server.js";
import { failureReply, parseRequestBody } from "../request-body.js";
import type { ModelService } from "../serve-model.js";
import { outputItems, renderResponsesReply, renderResponsesStream } from "./render-responses-reply.js";
import { parseToolArguments } from "../../../providers/tool-arguments.js";
import type { ModelParams } from "../../../providers/provider.js";
import type { AssistantMessage, ContentPart, Message } from "../../../transcript/message.js";
import { toImageSource, type AgentRequest } from "../agent-request.js";
import * as z from "../../../values/deferred-zod.js";
import { failure, success, type Result } from "../../../result.js";

/** Unknown keys are allowed: agents send more than a test needs. */
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
});

/** The part of `POST /v1/responses` that is passed on, as OpenAI's API reference has it. */
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
  reasoning: z.object({ effort: z.string().nullish() }).nullish(),
  text: z
    .object({
      format: z
        .discriminatedUnion("type", [
          z.object({ type: z.literal("text") }),
          z.object({ type: z.literal("json_object") }),
          z.object({
            type: z.literal("json_schema"),
            name: z.string(),
            schema: z.record(z.string(), z.json()),
            strict: z.boolean().nullish(),
          }),
        ])
        .nullish(),
    })
    .nullish(),
  stream: z.boolean().nullish(),
});

/** `POST /v1/responses`, as OpenAI's API reference has it. */
export async function serveResponses(
  request: GatewayRequest,
  service: ModelService,
  recorder: Recorder,
  memory: ResponseMemory,
  clock: Clock,
): Promise<GatewayReply> {
  const parsed = parseRequestBody(responsesRequestSchema, request.body);
  if (!parsed.success) return parsed.error;
  const conversation = memory.conversationOf(parsed.data);
  if (!conversation.success)
    return errorReply(404, "not_found", `There is nothing with the id "${conversation.error}"`);
  for (const item of conversation.data) {
    if ("type" in item && item.type === "function_call_output") recorder.addResult(item.call_id, resultText(item));
  }
  const read = readResponsesRequest(parsed.data, conversation.data, service.keptOf);
  const answered = await service.ask(read, request.signal);
  if (!answered.success) return failureReply(answered.error);
  const response = answered.data;
  const id = `resp_${recorder.transcript.turns.length}`;
  const output = outputItems(response, id);
  memory.keep(id, conversation.data, new Map<string, ResponsesItem>(output.map((item) => [item.id, item])));
  const model = response.modelServed ?? parsed.data.model ?? "kindlm";
  const stamp = { id, created: Math.floor(clock.now() / 1_000), model };
  const render = parsed.data.stream === true ? renderResponsesStream : renderResponsesReply;
  return render(response, output, stamp);
}

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

/** What the API of OpenAI keeps for its callers, who name it instead of sending it again. */
interface ResponseMemory {
  /** The whole conversation that a request continues. Fails with the id that is not known. */
  conversationOf(request: ResponsesRequest): Result<readonly ResponsesItem[], string>;
  /** `output` are the items of the answer, by their ids. */
  keep(id: string, conversation: readonly ResponsesItem[], output: ReadonlyMap<string, ResponsesItem>): void;
}

export function createResponseMemory(): ResponseMemory {
  const items = new Map<string, ResponsesItem>();
  const conversations = new Map<string, readonly ResponsesItem[]>();
  return {
    conversationOf({ input, previous_response_id: previous }) {
      const before = typeof previous === "string" ? conversations.get(previous) : [];
      if (before === undefined) return failure(String(previous));
      if (typeof input === "string") return success([...before, { role: "user", content: input }]);
      const conversation = [...before];
      for (const item of input) {
        const isReference = "type" in item && item.type === "item_reference";
        const meant = isReference ? items.get(item.id) : item;
        if (meant === undefined) return failure(isReference ? item.id : "");
        conversation.push(meant);
      }
      return success(conversation);
    },
    keep(id, conversation, output) {
      for (const [itemId, item] of output) items.set(itemId, item);
      conversations.set(id, [...conversation, ...output.values()]);
    },
  };
}
