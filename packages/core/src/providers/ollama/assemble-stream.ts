import { isList, isRecord } from "../../values/json.js";
import { streamedError } from "../http/streaming/streamed-error.js";
import type { StreamAssembler, StreamStep } from "../wire-format.js";

/**
 * Puts the lines of a streamed `/api/chat` together: pieces of text and thinking, whole tool calls, and a last line
 * with `done` and the counts. An error is a separate line, without a status.
 */
export function createOllamaAssembler(): StreamAssembler {
  let text = "";
  let thinking = "";
  let last: Record<string, unknown> | null = null;
  const calls: unknown[] = [];

  const addMessage = (message: Record<string, unknown>): boolean => {
    const { content, thinking: thought, tool_calls: called } = message;
    if (typeof thought === "string") thinking += thought;
    if (typeof content === "string") text += content;
    if (isList(called)) calls.push(...called);
    return (typeof content === "string" && content !== "") || (Array.isArray(called) && called.length > 0);
  };

  return {
    get text() {
      return text;
    },
    add({ data }): StreamStep {
      if (data["error"] !== undefined && data["error"] !== null) return streamedError(data);
      const isContent = isRecord(data["message"]) && addMessage(data["message"]);
      if (data["done"] !== true) return { kind: isContent ? "content" : "meta" };
      last = data;
      return { kind: "end", hasContent: isContent };
    },
    finish() {
      if (last === null) return null;
      const message: Record<string, unknown> = { role: "assistant", content: text };
      if (thinking !== "") message["thinking"] = thinking;
      if (calls.length > 0) message["tool_calls"] = calls;
      return { ...last, message };
    },
  };
}
