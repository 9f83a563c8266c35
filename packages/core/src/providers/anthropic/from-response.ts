import { isList, isRecord } from "../../values/json.js";
import { failure, success, type Result } from "../../result.js";
import type { RequestedToolCall } from "../../transcript/message.js";
import type { Usage } from "../../transcript/usage.js";
import type { FinishReason, RanToolCall } from "../provider.js";
import { toFinishReason } from "../to-finish-reason.js";
import { readToolArguments } from "../tool-arguments.js";
import type { WireAnswer } from "../wire-format.js";
import { toPassthrough } from "./passthrough-content.js";

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "refusal",
};

/** Reads a message. The error is the reason why it cannot be used. */
export function fromAnthropicResponse(json: Record<string, unknown>): Result<WireAnswer, string> {
  const content = json["content"];
  if (!isList(content)) return failure("no content in its body");
  let text = "";
  const toolCalls: RequestedToolCall[] = [];
  const ranCalls: RanToolCall[] = [];
  for (const block of content) {
    if (!isRecord(block)) return failure("a content block that is not an object");
    if (block["type"] === "text" && typeof block["text"] === "string") text += block["text"];
    const { type, id, name, input } = block;
    const isRan = type === "server_tool_use" || type === "mcp_tool_use";
    if (type !== "tool_use" && !isRan) continue;
    if (typeof id !== "string" || typeof name !== "string" || name === "") {
      return failure("a tool call that has no name or id");
    }
    const call = { tool: name, ...readToolArguments(input) };
    if (isRan) ranCalls.push(call);
    else toolCalls.push({ id, ...call });
  }
  return success({
    text,
    toolCalls,
    ...(ranCalls.length === 0 ? {} : { ranCalls }),
    finishReason: toFinishReason(finishReasons, json["stop_reason"], toolCalls.length > 0),
    usage: usageOf(json["usage"]),
    modelServed: typeof json["model"] === "string" ? json["model"] : null,
    providerData: toPassthrough(content),
  });
}

/** Anthropic counts cached tokens apart from `input_tokens`; here they are part of the input, as everywhere else. */
function usageOf(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const { input_tokens: input, output_tokens: outputTokens } = value;
  if (typeof input !== "number" || typeof outputTokens !== "number") return null;
  const read = countOf(value["cache_read_input_tokens"]);
  const usage: Usage = { inputTokens: input + read + countOf(value["cache_creation_input_tokens"]), outputTokens };
  if (typeof value["cache_read_input_tokens"] === "number") usage.cachedInputTokens = read;
  const details = value["output_tokens_details"];
  if (isRecord(details) && typeof details["thinking_tokens"] === "number") {
    usage.reasoningTokens = details["thinking_tokens"];
  }
  return usage;
}

function countOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
