import { failure, success, type Result } from "../../result.js";
import type { RequestedToolCall } from "../../transcript/message.js";
import type { Usage } from "../../transcript/usage.js";
import { isRecord } from "../../values/json.js";
import type { FinishReason, RanToolCall } from "../provider.js";
import { toFinishReason } from "../to-finish-reason.js";
import { readToolArguments, toolCallId } from "../tool-arguments.js";
import type { WireAnswer, StreamAssembler, StreamStep } from "../wire-format.js";
import { toPassthrough } from "./passthrough-content.js";
import { streamedError } from "../http/streaming/streamed-error.js";

/** A call that the model botched (`MALFORMED_FUNCTION_CALL` and its like) comes without the call: `other`. */
const finishReasons: Readonly<Record<string, FinishReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  IMAGE_SAFETY: "content_filter",
  IMAGE_PROHIBITED_CONTENT: "content_filter",
  IMAGE_RECITATION: "content_filter",
};

/**
 * Reads a reply of `generateContent`. The error is the reason why it cannot be used. A prompt that was blocked is an
 * answer, without text. `turn` numbers the ids of tool calls that come without any.
 */
export function fromGeminiResponse(json: Record<string, unknown>, turn: number): Result<WireAnswer, string> {
  const candidate: unknown = Array.isArray(json["candidates"]) ? json["candidates"][0] : undefined;
  const rest = {
    usage: usageOf(json["usageMetadata"]),
    modelServed: typeof json["modelVersion"] === "string" ? json["modelVersion"] : null,
  };
  if (!isRecord(candidate)) {
    const feedback = json["promptFeedback"];
    const blocked = isRecord(feedback) ? feedback["blockReason"] : undefined;
    if (typeof blocked !== "string") return failure("no candidate in its body");
    const finishReason = { unified: "content_filter", raw: blocked } as const;
    return success({ text: "", toolCalls: [], finishReason, ...rest });
  }
  const parts = partsOf(candidate["content"]);
  if (parts === null) return failure("content that has no parts");
  let text = "";
  const toolCalls: RequestedToolCall[] = [];
  const ranCalls: RanToolCall[] = [];
  for (const part of parts) {
    if (!isRecord(part)) return failure("a part that is not an object");
    if (typeof part["text"] === "string" && part["thought"] !== true) text += part["text"];
    const ran = ranCallIn(part);
    if (ran !== null) ranCalls.push(ran);
    const call = part["functionCall"];
    if (!isRecord(call)) continue;
    const { id, name, args } = call;
    if (typeof name !== "string" || name === "") return failure("a tool call that has no name");
    toolCalls.push({ id: toolCallId(id, turn, toolCalls.length), tool: name, ...readToolArguments(args) });
  }
  const finishReason = toFinishReason(finishReasons, candidate["finishReason"], toolCalls.length > 0);
  const ranTools = ranCalls.length === 0 ? {} : { ranCalls };
  return success({ text, toolCalls, ...ranTools, finishReason, ...rest, providerData: toPassthrough(parts) });
}

/** Google runs code and its own tools, such as its search, while the model answers. */
function ranCallIn({ executableCode: code, toolCall: call }: Record<string, unknown>): RanToolCall | null {
  if (isRecord(code)) return { tool: "code_execution", args: code };
  if (!isRecord(call) || typeof call["toolType"] !== "string") return null;
  return { tool: call["toolType"], ...readToolArguments(call["args"]) };
}

/** An answer that was held back comes with no content, or with content that has no parts. */
function partsOf(content: unknown): readonly unknown[] | null {
  if (content === undefined || content === null) return [];
  const parts = isRecord(content) ? (content["parts"] ?? []) : null;
  return Array.isArray(parts) ? parts : null;
}

/** Thoughts are counted apart from the candidates, cached tokens as part of the prompt. Counts of zero are left out. */
function usageOf(value: unknown): Usage | null {
  if (!isRecord(value) || typeof value["promptTokenCount"] !== "number") return null;
  const thoughts = countOf(value["thoughtsTokenCount"]);
  const usage: Usage = {
    inputTokens: value["promptTokenCount"] + countOf(value["toolUsePromptTokenCount"]),
    outputTokens: countOf(value["candidatesTokenCount"]) + thoughts,
  };
  if (typeof value["cachedContentTokenCount"] === "number") usage.cachedInputTokens = value["cachedContentTokenCount"];
  if (thoughts > 0) usage.reasoningTokens = thoughts;
  return usage;
}

function countOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/**
 * Puts the chunks of `streamGenerateContent` together. Each is a complete reply with the next parts; the last
 * one names the finish reason and the usage. Text is joined, except with a part that carries a thought signature,
 * which has to go back as it came.
 */
export function createGeminiAssembler(): StreamAssembler {
  let body: Record<string, unknown> = {};
  let candidate: Record<string, unknown> | null = null;
  let text = "";
  const parts: unknown[] = [];

  const addPart = (part: unknown): boolean => {
    if (!isRecord(part)) {
      parts.push(part);
      return false;
    }
    const last = parts.at(-1);
    const piece = typeof part["text"] === "string" ? part["text"] : "";
    if (isJoinable(part) && isJoinable(last) && last["thought"] === part["thought"]) {
      parts[parts.length - 1] = { ...last, text: `${String(last["text"])}${piece}` };
    } else {
      parts.push(part);
    }
    if (part["thought"] === true) return false;
    text += piece;
    return piece !== "" || isRecord(part["functionCall"]);
  };

  const isComplete = (): boolean =>
    typeof candidate?.["finishReason"] === "string" ||
    (isRecord(body["promptFeedback"]) && typeof body["promptFeedback"]["blockReason"] === "string");

  return {
    get text() {
      return text;
    },
    add({ data }): StreamStep {
      if (data["error"] !== undefined && data["error"] !== null) return streamedError(data);
      const { candidates, ...rest } = data;
      body = { ...body, ...rest };
      let hasContent = false;
      const next: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
      if (isRecord(next)) {
        const { content, ...about } = next;
        candidate = { ...candidate, ...about };
        const pieces: unknown = isRecord(content) ? content["parts"] : undefined;
        if (Array.isArray(pieces)) for (const piece of pieces) hasContent = addPart(piece) || hasContent;
      }
      if (isComplete() && isRecord(data["usageMetadata"])) return { kind: "end", hasContent };
      return { kind: hasContent ? "content" : "meta" };
    },
    finish() {
      if (!isComplete()) return null;
      return candidate === null ? body : { ...body, candidates: [{ ...candidate, content: { role: "model", parts } }] };
    },
  };
}

/** Plain text, or plain thoughts. */
function isJoinable(part: unknown): part is Record<string, unknown> {
  return isRecord(part) && Object.keys(part).every((key) => key === "text" || key === "thought") && "text" in part;
}
