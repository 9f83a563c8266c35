import { readToolArguments } from "../../../../providers/tool-arguments.js";
import type { ModelParams } from "../../../../providers/provider.js";
import type { AssistantMessage, ContentPart, ImageSource, Message } from "../../../../transcript/message.js";
import type { AgentRequest } from "../../agent-request.js";
import type { AnthropicRequest, ImageBlock, MessageContent } from "./anthropic-request.js";

/**
 * Translates a message request back. `keptOf` gives what an adapter wants to have sent back unchanged with the answer
 * that holds a call; `isKept` as for the table.
 */
export function readAnthropicRequest(
  request: AnthropicRequest,
  keptOf: (callId: string) => unknown,
  isKept: (block: unknown) => boolean,
): AgentRequest {
  const system = [textOf(request.system, "\n\n")];
  const messages: Message[] = [];
  const toolOf = new Map<string, string>();
  for (const message of request.messages) {
    if (message.role === "system") {
      const text = textOf(message.content, "\n\n");
      if (messages.length === 0) system.push(text);
      else messages.push({ role: "system", content: text });
    } else if (message.role === "assistant") {
      const answer = toAnswer(message.content, keptOf, isKept);
      for (const { id, tool } of answer.toolCalls) toolOf.set(id, tool);
      messages.push(answer);
    } else messages.push(...toUserMessages(message.content, toolOf));
  }
  const prompt = system.filter((text) => text !== "").join("\n\n");
  return {
    system: prompt === "" ? null : prompt,
    messages,
    tools: (request.tools ?? []).map((tool) => ({
      name: tool.name,
      ...(typeof tool.description === "string" ? { description: tool.description } : {}),
      parameters: tool.input_schema,
      ...(typeof tool.strict === "boolean" ? { strict: tool.strict } : {}),
    })),
    params: paramsOf(request),
  };
}

function toAnswer(
  said: MessageContent,
  keptOf: (callId: string) => unknown,
  isKept: (block: unknown) => boolean,
): AssistantMessage {
  if (typeof said === "string") return { role: "assistant", text: said, toolCalls: [] };
  const toolCalls = said.flatMap((block) =>
    block.type === "tool_use" ? [{ id: block.id, tool: block.name, ...readToolArguments(block.input) }] : [],
  );
  const [first] = toolCalls;
  const kept = first === undefined ? undefined : keptOf(first.id);
  // Without a call there is nothing by which KindLM finds the answer again, but the agent has sent all of it.
  const own = said.some(isKept) ? { anthropic: { content: said } } : undefined;
  const providerData = kept ?? own;
  return {
    role: "assistant",
    text: textOf(said, ""),
    toolCalls,
    ...(providerData === undefined ? {} : { providerData }),
  };
}

/** Other APIs have a message for each result; what stands before and after them keeps its place. */
function toUserMessages(said: MessageContent, toolOf: ReadonlyMap<string, string>): readonly Message[] {
  if (typeof said === "string") return [{ role: "user", content: said }];
  const messages: Message[] = [];
  let parts: ContentPart[] | null = null;
  for (const block of said) {
    if (block.type === "tool_result") {
      parts = null;
      const { tool_use_id: callId, is_error: isError } = block;
      const tool = toolOf.get(callId) ?? "";
      messages.push({ role: "tool", callId, tool, content: textOf(block.content, "\n"), isError: isError === true });
    } else if (block.type === "text" || block.type === "image") {
      if (parts === null) messages.push({ role: "user", content: (parts = []) });
      parts.push(block.type === "text" ? block : { type: "image", source: sourceOf(block.source) });
    }
  }
  return messages;
}

function sourceOf(source: ImageBlock["source"]): ImageSource {
  return source.type === "url"
    ? { kind: "url", url: source.url }
    : { kind: "base64", mediaType: source.media_type, data: source.data };
}

/** The text of a content; what is neither text nor the name of a tool is left out. */
function textOf(said: string | readonly SomeBlock[] | null | undefined, between: string): string {
  if (typeof said === "string") return said;
  return (said ?? []).flatMap(({ text, tool_name: name }) => text ?? name ?? []).join(between);
}

interface SomeBlock {
  type: string;
  text?: string;
  tool_name?: string;
}

function paramsOf(request: AnthropicRequest): ModelParams {
  const { tool_choice: choice, output_config: output, stop_sequences: stop } = request;
  const params: ModelParams = { max_tokens: request.max_tokens };
  for (const key of ["temperature", "top_p"] as const) {
    const value = request[key];
    if (typeof value === "number") params[key] = value;
  }
  if (stop && stop.length > 0) params.stop = stop;
  if (typeof output?.effort === "string") params.reasoning_effort = output.effort;
  const format = output?.format ?? request.output_format;
  // Anthropic always enforces the schema.
  if (format) params.response_format = { schema: format.schema, strict: true };
  if (choice?.type === "tool") params.tool_choice = { tool: choice.name ?? "" };
  else if (choice) params.tool_choice = choice.type === "any" ? "required" : choice.type;
  if (typeof choice?.disable_parallel_tool_use === "boolean") {
    params.parallel_tool_calls = !choice.disable_parallel_tool_use;
  }
  return params;
}
