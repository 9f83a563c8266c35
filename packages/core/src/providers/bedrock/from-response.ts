import { isList, isRecord } from "../../values/json.js";
import { failure, success, type Result } from "../../result.js";
import type { RequestedToolCall } from "../../transcript/message.js";
import type { Usage } from "../../transcript/usage.js";
import type { FinishReason, RanToolCall } from "../provider.js";
import { toFinishReason } from "../to-finish-reason.js";
import { readToolArguments, toolCallId } from "../tool-arguments.js";
import type { WireAnswer } from "../wire-format.js";
import { toPassthrough } from "./passthrough-content.js";

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  guardrail_intervened: "content_filter",
  content_filtered: "content_filter",
};

/** Reads a reply of Converse. The error is the reason why it cannot be used. */
export function fromBedrockResponse(json: Record<string, unknown>, turn: number): Result<WireAnswer, string> {
  const output = json["output"];
  const message = isRecord(output) ? output["message"] : undefined;
  const content = isRecord(message) ? message["content"] : undefined;
  if (!isList(content)) return failure("no message in its body");
  let text = "";
  const toolCalls: RequestedToolCall[] = [];
  const ranCalls: RanToolCall[] = [];
  for (const block of content) {
    if (!isRecord(block)) return failure("a content block that is not an object");
    text += textOf(block);
    const call = block["toolUse"];
    if (!isRecord(call)) continue;
    const { type, toolUseId, name, input } = call;
    if (typeof name !== "string" || name === "") return failure("a tool call that has no name");
    const read = { tool: name, ...readToolArguments(input) };
    // A call with a type is one that the model's provider has run itself.
    if (type !== undefined) ranCalls.push(read);
    else toolCalls.push({ id: toolCallId(toolUseId, turn, toolCalls.length), ...read });
  }
  return success({
    text,
    toolCalls,
    ...(ranCalls.length === 0 ? {} : { ranCalls }),
    finishReason: toFinishReason(finishReasons, json["stopReason"], toolCalls.length > 0),
    usage: usageOf(json["usage"]),
    modelServed: modelOf(json["trace"]),
    providerData: toPassthrough(content),
  });
}

/** An answer with sources has its text inside of the block that names them. */
function textOf({ text, citationsContent: cited }: Record<string, unknown>): string {
  if (typeof text === "string") return text;
  const parts: readonly unknown[] = isRecord(cited) && Array.isArray(cited["content"]) ? cited["content"] : [];
  return parts.map((part) => (isRecord(part) && typeof part["text"] === "string" ? part["text"] : "")).join("");
}

/**
 * Bedrock counts cached tokens apart from `inputTokens`, as
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html says; here they are part of the input, as
 * everywhere else.
 */
function usageOf(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const { inputTokens: input, outputTokens, cacheReadInputTokens: read, cacheWriteInputTokens: written } = value;
  if (typeof input !== "number" || typeof outputTokens !== "number") return null;
  const usage: Usage = { inputTokens: input + countOf(read) + countOf(written), outputTokens };
  if (typeof read === "number") usage.cachedInputTokens = read;
  return usage;
}

function countOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** Converse does not say which model answered, except where a router chose it. */
function modelOf(trace: unknown): string | null {
  const router = isRecord(trace) ? trace["promptRouter"] : undefined;
  const model = isRecord(router) ? router["invokedModelId"] : undefined;
  return typeof model === "string" ? model : null;
}
