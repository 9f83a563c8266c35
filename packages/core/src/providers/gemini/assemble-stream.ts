import { isRecord } from "../../values/json.js";
import { streamedError } from "../http/streaming/streamed-error.js";
import type { StreamAssembler, StreamStep } from "../wire-format.js";

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
