import { failure, success, type Result } from "../../result.js";
import type { RequestedToolCall } from "../../transcript/message.js";
import type { Usage } from "../../transcript/usage.js";
import { isRecord } from "../../values/json.js";
import { parseToolArguments } from "../parse-tool-arguments.js";
import type { FinishReason, ProviderResponse } from "../provider.js";
import type { ToldFailure, WireAnswer } from "../wire-format.js";
import { failedGeneration } from "./failed-generation.js";
import { keepMessage } from "./kept-content.js";

const finishReasons: Readonly<Record<string, FinishReason>> = {
  COMPLETE: "stop",
  STOP_SEQUENCE: "stop",
  MAX_TOKENS: "length",
  TOOL_CALL: "tool_calls",
};

/**
 * Reads a reply of the v2 Chat API. The error is the reason why it can not be used, or the failure that it tells of.
 * Replies do not name the model. `turn` numbers the ids of tool calls that come without any.
 */
export function fromCohereResponse(
  json: Record<string, unknown>,
  turn: number,
): Result<WireAnswer, string | ToldFailure> {
  const message = json["message"];
  const raw = typeof json["finish_reason"] === "string" ? json["finish_reason"] : null;
  const failed = failedGeneration(raw, json);
  if (failed !== null) return failure(failed);
  if (!isRecord(message)) return failure("no message in its body");
  const toolCalls = callsOf(message["tool_calls"], turn);
  if (toolCalls === null) return failure("a tool call that has no function name");
  const answer: WireAnswer = {
    text: textOf(message["content"]),
    toolCalls,
    finishReason: finishReasonOf(raw, toolCalls.length > 0),
    usage: usageOf(json["usage"]),
    modelServed: null,
  };
  const providerData = keepMessage(message, toolCalls.length > 0);
  return success(providerData === undefined ? answer : { ...answer, providerData });
}

/** Calls count more than what the server calls the end. */
function finishReasonOf(raw: string | null, hasCalls: boolean): ProviderResponse["finishReason"] {
  const unified = raw !== null && Object.hasOwn(finishReasons, raw) ? (finishReasons[raw] ?? "other") : "other";
  return { unified: hasCalls && (unified === "stop" || raw === null) ? "tool_calls" : unified, raw };
}

/** Blocks with thoughts are no part of the answer. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => (isRecord(block) && typeof block["text"] === "string" ? block["text"] : "")).join("");
}

function callsOf(value: unknown, turn: number): readonly RequestedToolCall[] | null {
  if (!Array.isArray(value)) return [];
  const calls: RequestedToolCall[] = [];
  for (const [index, call] of value.entries()) {
    const called: unknown = isRecord(call) ? call["function"] : undefined;
    if (!isRecord(call) || !isRecord(called) || typeof called["name"] !== "string") return null;
    const id = typeof call["id"] === "string" && call["id"] !== "" ? call["id"] : `call_${turn}_${index + 1}`;
    const text = typeof called["arguments"] === "string" ? called["arguments"] : "";
    calls.push({ id, tool: called["name"], ...parseToolArguments(text) });
  }
  return calls;
}

/**
 * Cohere counts twice: what the model read and wrote, with the parts of the prompt that Cohere adds itself, and what is
 * billed. The bill is what prices apply to. Cached tokens are part of the first count only, so that they are told where
 * a server gives no other.
 */
function usageOf(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const billed = countsOf(value["billed_units"]);
  if (billed !== null) return billed;
  const counted = countsOf(value["tokens"]);
  const cached = value["cached_tokens"];
  return counted === null || typeof cached !== "number" ? counted : { ...counted, cachedInputTokens: cached };
}

function countsOf(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const { input_tokens: inputTokens, output_tokens: outputTokens } = value;
  return typeof inputTokens === "number" && typeof outputTokens === "number" ? { inputTokens, outputTokens } : null;
}
