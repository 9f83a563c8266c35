import { failure, success, type Result } from "../../result.js";
import { isRecord } from "../../values/json.js";
import type { FinishReason } from "../provider.js";
import { toFinishReason } from "../to-finish-reason.js";
import type { WireAnswer } from "../wire-format.js";
import { toPassthrough } from "./passthrough-content.js";
import { readChatCalls } from "./read-chat-calls.js";
import { readUsage } from "./read-usage.js";

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  content_filter: "content_filter",
};

/** OpenRouter and DeepSeek say so when the answer broke off on their side: what came is not the model's whole answer. */
const brokenOff = new Set(["error", "insufficient_system_resource"]);

/**
 * Reads a chat completion in the shape that OpenAI gave it and others took over. The error is the reason why it can
 * not be used. `turn` numbers the ids of tool calls that a server sends without any.
 */
export function fromChatResponse(json: Record<string, unknown>, turn: number): Result<WireAnswer, string> {
  const choice: unknown = Array.isArray(json["choices"]) ? json["choices"][0] : undefined;
  const message = isRecord(choice) ? choice["message"] : undefined;
  if (!isRecord(choice) || !isRecord(message)) return failure("no choice in its body");
  const raw = choice["finish_reason"];
  if (typeof raw === "string" && brokenOff.has(raw)) return failure(`an answer that it broke off (${raw})`);
  const toolCalls = readChatCalls(message["tool_calls"], turn);
  if (toolCalls === null) return failure("a tool call that has no function name");
  const refusal = typeof message["refusal"] === "string" ? message["refusal"] : "";
  const hasCalls = toolCalls.length > 0;
  const finishReason = toFinishReason(finishReasons, raw, hasCalls);
  return success({
    text: chatText(message["content"]) || refusal,
    toolCalls,
    finishReason: refusal === "" ? finishReason : { ...finishReason, unified: "refusal" },
    usage: readUsage(json["usage"], "prompt_tokens", "completion_tokens"),
    modelServed: typeof json["model"] === "string" ? json["model"] : null,
    providerData: toPassthrough(message, hasCalls),
  });
}

/** Some servers send the text in parts, as in a request. */
export function chatText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (isRecord(part) && typeof part["text"] === "string" ? part["text"] : "")).join("");
}
