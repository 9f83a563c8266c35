import type { Result } from "../result.js";
import type { Message } from "../transcript/message.js";
import { isRecord, textOf } from "../values/json.js";
import { readAnthropicMessages } from "./read-anthropic-messages.js";
import { readOpenAiMessages } from "./read-openai-messages.js";
import { readOwnMessages } from "./read-own-messages.js";
import { readResponseItems } from "./read-response-items.js";

const readers = {
  openai: readOpenAiMessages,
  anthropic: readAnthropicMessages,
  responses: readResponseItems,
  kindlm: readOwnMessages,
} as const;

/**
 * Reads a conversation, whoever's form it has; the system prompt that begins it is left out. The error says what is
 * wrong and where.
 */
export function readMessages(written: readonly unknown[]): Result<readonly Message[], string> {
  return readers[formOf(written)](written);
}

/** The form shows in how tools are called; without any, all forms are the same. */
function formOf(written: readonly unknown[]): keyof typeof readers {
  for (const message of written) {
    if (!isRecord(message)) continue;
    const { type, role, content } = message;
    if (typeof type === "string" && (role === undefined || type === "message")) return "responses";
    if (role === "assistant" && ("toolCalls" in message || "text" in message)) return "kindlm";
    if (role === "tool") return "callId" in message ? "kindlm" : "openai";
    if (role === "function") return "openai";
    if (role === "assistant" && ("tool_calls" in message || "function_call" in message)) return "openai";
    const types = Array.isArray(content) ? content.map(blockType) : [];
    if (types.some((one) => one.endsWith("tool_use") || one.endsWith("tool_result") || one === "thinking")) {
      return "anthropic";
    }
    if (types.some((one) => one.startsWith("input_") || one.startsWith("output_"))) return "responses";
  }
  return "openai";
}

function blockType(block: unknown): string {
  return isRecord(block) ? textOf(block["type"]) : "";
}
