import { parseToolArguments } from "../../../../providers/tool-arguments.js";
import type { ModelParams } from "../../../../providers/provider.js";
import type { AssistantMessage, ContentPart, Message, RequestedToolCall } from "../../../../transcript/message.js";
import { toImageSource, type AgentRequest } from "../../agent-request.js";
import type { ResponsesItem, ResponsesRequest } from "./responses-schema.js";
import type { ResponsesTools } from "./responses-tools.js";

/** Translates a request to the Responses API back. `conversation` is all that it continues; `keptOf` as for chats. */
export function readResponsesRequest(
  request: ResponsesRequest,
  { conversation, tools }: { conversation: readonly ResponsesItem[]; tools: ResponsesTools },
  keptOf: (callId: string) => unknown,
): AgentRequest {
  const system = typeof request.instructions === "string" ? [request.instructions] : [];
  const messages: Message[] = [];
  const toolOf = new Map<string, string>();
  for (const item of conversation) {
    if ("role" in item) {
      if ((item.role === "system" || item.role === "developer") && messages.length === 0) system.push(textOf(item));
      else messages.push(toMessage(item));
    } else if (item.type === "function_call" || item.type === "custom_tool_call") {
      const tool = tools.nameOf(item.namespace, item.name);
      toolOf.set(item.call_id, tool);
      addCall(messages, { id: item.call_id, tool, ...argumentsOf(item) }, keptOf(item.call_id));
    } else if (item.type === "function_call_output" || item.type === "custom_tool_call_output") {
      const content = resultText(item);
      const tool = toolOf.get(item.call_id) ?? "";
      messages.push({ role: "tool", callId: item.call_id, tool, content, isError: false });
    }
  }
  return {
    system: system.length > 0 ? system.join("\n\n") : null,
    messages,
    tools: tools.definitions,
    params: paramsOf(request, tools),
  };
}

type MessageItem = Extract<ResponsesItem, { role: string }>;

type CallItem = Extract<ResponsesItem, { type: "function_call" | "custom_tool_call" }>;

function argumentsOf(item: CallItem): Omit<RequestedToolCall, "id" | "tool"> {
  return item.type === "function_call" ? parseToolArguments(item.arguments) : { args: { input: item.input } };
}

function resultText({ output }: Extract<ResponsesItem, { output: unknown }>): string {
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
function addCall(messages: Message[], call: RequestedToolCall, kept: unknown): void {
  const last = messages.at(-1);
  const answer: AssistantMessage =
    last?.role === "assistant"
      ? { ...last, toolCalls: [...last.toolCalls, call] }
      : { role: "assistant", text: "", toolCalls: [call] };
  if (last?.role === "assistant") messages.pop();
  messages.push(kept === undefined ? answer : { ...answer, providerData: kept });
}

function paramsOf(request: ResponsesRequest, tools: ResponsesTools): ModelParams {
  const { tool_choice: choice, text, reasoning } = request;
  const params: ModelParams = {};
  if (typeof request.temperature === "number") params.temperature = request.temperature;
  if (typeof request.top_p === "number") params.top_p = request.top_p;
  if (typeof request.max_output_tokens === "number") params.max_tokens = request.max_output_tokens;
  if (typeof reasoning?.effort === "string") params.reasoning_effort = reasoning.effort;
  if (typeof request.parallel_tool_calls === "boolean") params.parallel_tool_calls = request.parallel_tool_calls;
  if (typeof choice === "string") params.tool_choice = choice;
  else if (choice) params.tool_choice = { tool: tools.nameOf(choice.namespace, choice.name) };
  const format = text?.format;
  if (format?.type === "json_object") params.response_format = "json";
  if (format?.type === "json_schema") {
    const { name, schema, strict } = format;
    params.response_format = { name, schema, ...(typeof strict === "boolean" ? { strict } : {}) };
  }
  return params;
}
