import { isRecord, textOf } from "../../values/json.js";
import { streamedError } from "../http/streaming/streamed-error.js";
import { assembleToolInput } from "../tool-arguments.js";
import type { StreamAssembler, StreamStep } from "../wire-format.js";

/**
 * Puts the events of a streamed message together: `message_start`, then for each block `content_block_start`, deltas
 * and `content_block_stop`, then `message_delta` with stop reason and usage, then `message_stop`. `ping` may come at
 * any time, and so may events that are new, which are passed over.
 */
export function createAnthropicAssembler(): StreamAssembler {
  let message: Record<string, unknown> | null = null;
  let isComplete = false;
  let text = "";
  const blocks = new Map<unknown, Record<string, unknown>>();
  const inputs = new Map<unknown, string>();

  /** True when the delta brought a piece of the answer. */
  const addDelta = (index: unknown, delta: Record<string, unknown>): boolean => {
    const block = blocks.get(index);
    if (block === undefined) return false;
    switch (delta["type"]) {
      case "text_delta": {
        const piece = textOf(delta["text"]);
        block["text"] = textOf(block["text"]) + piece;
        text += piece;
        return piece !== "";
      }
      case "input_json_delta":
        inputs.set(index, (inputs.get(index) ?? "") + textOf(delta["partial_json"]));
        return block["type"] === "tool_use";
      case "thinking_delta":
        block["thinking"] = textOf(block["thinking"]) + textOf(delta["thinking"]);
        return false;
      case "signature_delta":
        block["signature"] = textOf(delta["signature"]);
        return false;
      case "citations_delta": {
        const citations: readonly unknown[] = Array.isArray(block["citations"]) ? block["citations"] : [];
        block["citations"] = [...citations, delta["citation"]];
        return false;
      }
      default:
        return false;
    }
  };

  return {
    get text() {
      return text;
    },
    add({ name, data }): StreamStep {
      const type = typeof data["type"] === "string" ? data["type"] : name;
      const index = data["index"];
      switch (type) {
        case "message_start":
          message = isRecord(data["message"]) ? { ...data["message"] } : {};
          return { kind: "meta" };
        case "content_block_start": {
          const block = isRecord(data["content_block"]) ? { ...data["content_block"] } : {};
          blocks.set(index, block);
          const piece = block["type"] === "text" ? textOf(block["text"]) : "";
          text += piece;
          return { kind: piece !== "" || block["type"] === "tool_use" ? "content" : "meta" };
        }
        case "content_block_delta":
          return { kind: isRecord(data["delta"]) && addDelta(index, data["delta"]) ? "content" : "meta" };
        case "message_delta": {
          const usage = isRecord(message?.["usage"]) ? message["usage"] : {};
          const further = isRecord(data["usage"]) ? data["usage"] : {};
          // The counts of a delta are the sums so far, and what it does not name stays.
          const told = Object.fromEntries(Object.entries(further).filter(([, count]) => count !== null));
          message = { ...message, ...(isRecord(data["delta"]) ? data["delta"] : {}), usage: { ...usage, ...told } };
          return { kind: "meta" };
        }
        case "message_stop":
          isComplete = true;
          return { kind: "end" };
        case "error":
          return streamedError(data);
        default:
          return { kind: "none" };
      }
    },
    finish() {
      if (!isComplete || message === null) return null;
      const content = [...blocks].map(([index, block]) => withInput(block, inputs.get(index)));
      return { ...message, content };
    },
  };
}

function withInput(block: Record<string, unknown>, json = ""): Record<string, unknown> {
  return json === "" ? block : { ...block, input: assembleToolInput(json) };
}
