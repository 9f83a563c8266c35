import { failure, success, type Result } from "../../result.js";
import type { Usage } from "../../transcript/usage.js";
import { isRecord } from "../../values/json.js";
import { fromChatResponse } from "../chat-completions/from-response.js";
import { toolCallId } from "../tool-arguments.js";
import type { WireAnswer } from "../wire-format.js";
import { toPassthrough } from "./passthrough-content.js";

/** Reads a chat completion of Mistral. The error is the reason why it cannot be used. */
export function fromMistralResponse(json: Record<string, unknown>, turn: number): Result<WireAnswer, string> {
  const read = fromChatResponse(json, turn);
  if (!read.success) return read;
  const { toolCalls, finishReason, usage } = read.data;
  if (finishReason.raw === "error") return failure("an answer that it broke off (error)");
  return success({
    ...read.data,
    // The API writes an id that it does not have as the word "null".
    toolCalls: toolCalls.map((call, index) =>
      call.id === "null" ? { ...call, id: toolCallId(null, turn, index) } : call,
    ),
    finishReason: finishReason.raw === "model_length" ? { ...finishReason, unified: "length" } : finishReason,
    usage: usage === null ? null : withCached(usage, json["usage"]),
    providerData: toPassthrough(contentOf(json)),
  });
}

/** Cached tokens have had three names. */
function withCached(usage: Usage, said: unknown): Usage {
  if (usage.cachedInputTokens !== undefined || !isRecord(said)) return usage;
  const details = said["prompt_token_details"];
  const cached = said["num_cached_tokens"] ?? (isRecord(details) ? details["cached_tokens"] : undefined);
  return typeof cached === "number" ? { ...usage, cachedInputTokens: cached } : usage;
}

function contentOf(json: Record<string, unknown>): unknown {
  const choice: unknown = Array.isArray(json["choices"]) ? json["choices"][0] : undefined;
  const message = isRecord(choice) ? choice["message"] : undefined;
  return isRecord(message) ? message["content"] : undefined;
}
