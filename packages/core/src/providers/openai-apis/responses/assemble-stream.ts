import { isRecord } from "../../../values/json.js";
import { streamedError } from "../../http/streaming/streamed-error.js";
import type { StreamAssembler, StreamStep } from "../../wire-format.js";
import { isFiltered } from "../filtered-answer.js";
import { failedResponse } from "./failed-response.js";

/**
 * Puts the events of a streamed response together. The last event holds the whole response; some servers leave its
 * output out, which is then what the `response.output_item.done` events brought.
 */
export function createResponsesAssembler(): StreamAssembler {
  let text = "";
  let response: Record<string, unknown> | null = null;
  const items = new Map<number, unknown>();

  return {
    get text() {
      return text;
    },
    add({ name, data }): StreamStep {
      const type = typeof data["type"] === "string" ? data["type"] : (name ?? "");
      switch (type) {
        case "response.output_text.delta": {
          const piece = typeof data["delta"] === "string" ? data["delta"] : "";
          text += piece;
          return { kind: piece === "" ? "meta" : "content" };
        }
        case "response.refusal.delta":
        case "response.function_call_arguments.delta":
          return { kind: "content" };
        case "response.output_item.added":
          return { kind: isRecord(data["item"]) && data["item"]["type"] === "function_call" ? "content" : "meta" };
        case "response.output_item.done":
          items.set(typeof data["output_index"] === "number" ? data["output_index"] : items.size, data["item"]);
          return { kind: "meta" };
        case "response.completed":
        case "response.incomplete":
          response = isRecord(data["response"]) ? data["response"] : {};
          return { kind: "end" };
        case "response.failed": {
          const failed = isRecord(data["response"]) ? data["response"] : {};
          if (!isFiltered(failed)) return failedResponse(failed);
          response = failed;
          return { kind: "end" };
        }
        case "error":
          return streamedError(data);
        default:
          return { kind: type.startsWith("response.") ? "meta" : "none" };
      }
    },
    finish() {
      if (response === null) return null;
      const { output } = response;
      if (Array.isArray(output) && output.length > 0) return response;
      const inOrder = [...items].toSorted(([a], [b]) => a - b);
      return { ...response, output: inOrder.map(([, item]) => item) };
    },
  };
}
