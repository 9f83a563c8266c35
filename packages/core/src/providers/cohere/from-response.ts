import { failure, success, type Result } from "../../result.js";
import type { Usage } from "../../transcript/usage.js";
import { isRecord } from "../../values/json.js";
import { chatText } from "../chat-completions/from-response.js";
import { readChatCalls } from "../chat-completions/read-chat-calls.js";
import type { FinishReason } from "../provider.js";
import { toFinishReason } from "../to-finish-reason.js";
import type { InBandError, WireAnswer } from "../wire-format.js";
import { failedGeneration } from "./failed-generation.js";
import { toPassthrough } from "./passthrough-content.js";

const finishReasons: Readonly<Record<string, FinishReason>> = {
  COMPLETE: "stop",
  STOP_SEQUENCE: "stop",
  MAX_TOKENS: "length",
  TOOL_CALL: "tool_calls",
};

/**
 * Reads a reply of the v2 Chat API. The error is the reason why it cannot be used, or the failure that it reports.
 * Replies do not name the model. `turn` numbers the ids of tool calls that come without any.
 */
export function fromCohereResponse(
  json: Record<string, unknown>,
  turn: number,
): Result<WireAnswer, string | InBandError> {
  const message = json["message"];
  const reason = json["finish_reason"];
  const failed = failedGeneration(reason, json);
  if (failed !== null) return failure(failed);
  if (!isRecord(message)) return failure("no message in its body");
  const toolCalls = readChatCalls(message["tool_calls"], turn);
  if (toolCalls === null) return failure("a tool call that has no function name");
  const hasCalls = toolCalls.length > 0;
  return success({
    // Blocks with thoughts have no text, and are not part of the answer.
    text: chatText(message["content"]),
    toolCalls,
    finishReason: toFinishReason(finishReasons, reason, hasCalls),
    usage: usageOf(json["usage"]),
    modelServed: null,
    providerData: toPassthrough(message, hasCalls),
  });
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
