import type { RequestedToolCall } from "../../transcript/message.js";
import { isRecord } from "../../values/json.js";
import { readToolArguments, toolCallId } from "../tool-arguments.js";

/**
 * Reads `tool_calls` of a message, in the shape that OpenAI gave them and others took over. Null when one has no name.
 * OpenAI sends the arguments as text; some servers send them already parsed.
 */
export function readChatCalls(value: unknown, turn: number): readonly RequestedToolCall[] | null {
  if (!Array.isArray(value)) return [];
  const calls: RequestedToolCall[] = [];
  for (const [index, call] of value.entries()) {
    const called: unknown = isRecord(call) ? call["function"] : undefined;
    if (!isRecord(call) || !isRecord(called) || typeof called["name"] !== "string" || called["name"] === "")
      return null;
    const id = toolCallId(call["id"], turn, index);
    calls.push({ id, tool: called["name"], ...readToolArguments(called["arguments"]) });
  }
  return calls;
}
