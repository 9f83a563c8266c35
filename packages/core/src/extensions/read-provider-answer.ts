import type { FinishReason } from "../providers/provider.js";
import { toFinishReason } from "../providers/to-finish-reason.js";
import { readToolArguments, toolCallId } from "../providers/tool-arguments.js";
import type { WireAnswer } from "../providers/wire-format.js";
import { failure, success, type Result } from "../result.js";
import type { RequestedToolCall } from "../transcript/message.js";
import type { Usage } from "../transcript/usage.js";
import { isRecord } from "../values/json.js";
import { preview } from "../values/preview.js";

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  tool_calls: "tool_calls",
  length: "length",
  content_filter: "content_filter",
  refusal: "refusal",
};

const known = new Set(["text", "toolCalls", "finishReason", "usage", "model", "requestId", "providerData"]);

/** Reads what a registered provider returned. The error completes `mine returned 200 with …`. */
export function readProviderAnswer(json: Record<string, unknown>, turn: number): Result<WireAnswer, string> {
  const { text = "", toolCalls, finishReason, usage, model, providerData } = json;
  const strange = Object.keys(json).find((key) => !known.has(key));
  if (strange !== undefined) return failure(`the key "${strange}", which is not part of an answer`);
  if (typeof text !== "string") return failure(`a "text" that is ${preview(text)}, which is not a string`);
  const calls = readCalls(toolCalls, turn);
  if (!calls.success) return calls;
  const raw = finishReason ?? "stop";
  if (typeof raw !== "string") return failure(`a "finishReason" that is ${preview(raw)}, which is not a string`);
  return success({
    text,
    toolCalls: calls.data,
    finishReason: toFinishReason(finishReasons, raw, calls.data.length > 0),
    usage: usageOf(usage),
    modelServed: typeof model === "string" ? model : null,
    ...(providerData === undefined || providerData === null ? {} : { providerData }),
  });
}

function readCalls(value: unknown, turn: number): Result<readonly RequestedToolCall[], string> {
  if (value === undefined || value === null) return success([]);
  if (!Array.isArray(value)) return failure(`"toolCalls" that are ${preview(value)}, which is not a list`);
  const calls: RequestedToolCall[] = [];
  for (const [index, call] of value.entries()) {
    if (!isRecord(call) || typeof call["tool"] !== "string" || call["tool"] === "") {
      return failure(`a tool call without the name of a "tool": ${preview(call)}`);
    }
    calls.push({ id: toolCallId(call["id"], turn, index), tool: call["tool"], ...readToolArguments(call["args"]) });
  }
  return success(calls);
}

/** Counts that cannot be are taken out where those of all providers are. */
function usageOf(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = value;
  const usage: Usage = { inputTokens: countOf(inputTokens), outputTokens: countOf(outputTokens) };
  if (cachedInputTokens !== undefined) usage.cachedInputTokens = countOf(cachedInputTokens);
  if (reasoningTokens !== undefined) usage.reasoningTokens = countOf(reasoningTokens);
  return usage;
}

function countOf(value: unknown): number {
  return typeof value === "number" ? value : Number.NaN;
}
