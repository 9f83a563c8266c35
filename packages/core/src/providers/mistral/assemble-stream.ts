import { isRecord, textOf } from "../../values/json.js";
import { createChatAssembler, type ContentAssembler } from "../chat-completions/assemble-stream.js";
import { streamedError } from "../http/streaming/streamed-error.js";
import type { StreamAssembler } from "../wire-format.js";

/** Puts the chunks of a streamed chat completion of Mistral together; its errors are events with `object: error`. */
export function createMistralAssembler(): StreamAssembler {
  const completion = createChatAssembler(createChunkAssembler());
  return {
    get text() {
      return completion.text;
    },
    add: (event) => (event.data["object"] === "error" ? streamedError(event.data) : completion.add(event)),
    finish: () => completion.finish(),
  };
}

/** Content is text, or a list of chunks of text, thinking and references; pieces of one kind in a row are one chunk. */
function createChunkAssembler(): ContentAssembler {
  const chunks: Record<string, unknown>[] = [];
  let text = "";

  const addChunk = (chunk: Record<string, unknown>): boolean => {
    const last = chunks.at(-1);
    const merged = last === undefined ? null : mergeChunks(last, chunk);
    if (merged === null) chunks.push(chunk);
    else chunks[chunks.length - 1] = merged;
    if (chunk["type"] !== "text") return false;
    const piece = textOf(chunk["text"]);
    text += piece;
    return piece !== "";
  };

  return {
    get text() {
      return text;
    },
    add(piece) {
      if (typeof piece === "string") return piece !== "" && addChunk({ type: "text", text: piece });
      if (!Array.isArray(piece)) return false;
      return piece.filter((chunk) => isRecord(chunk) && addChunk(chunk)).length > 0;
    },
    finish: () => (chunks.every(({ type }) => type === "text") ? text : chunks),
  };
}

/** Null for two that stay apart. */
function mergeChunks(last: Record<string, unknown>, next: Record<string, unknown>): Record<string, unknown> | null {
  if (last["type"] !== next["type"]) return null;
  switch (next["type"]) {
    case "text":
      return { ...last, ...next, text: textOf(last["text"]) + textOf(next["text"]) };
    case "thinking": {
      const thinking = [...listOf(last["thinking"])];
      for (const part of listOf(next["thinking"])) {
        const before = thinking.at(-1);
        if (isTextPart(before) && isTextPart(part)) {
          thinking[thinking.length - 1] = { ...before, text: before.text + part.text };
        } else thinking.push(part);
      }
      return { ...last, ...next, thinking };
    }
    default:
      return null;
  }
}

function isTextPart(part: unknown): part is { type: "text"; text: string } {
  return isRecord(part) && part["type"] === "text" && typeof part["text"] === "string";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
