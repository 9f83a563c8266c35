import { isRecord, textOf } from "../../values/json.js";
import { doneEvent } from "../http/streaming/stream-decoder.js";
import type { StreamAssembler, StreamStep } from "../wire-format.js";
import { failedGeneration } from "./failed-generation.js";

interface CallInProgress {
  id: unknown;
  name: unknown;
  arguments: string;
}

/**
 * Puts the events of a streamed chat together: `message-start`, then the plan, content blocks and tool calls, each with
 * their start, deltas and end, then `message-end` with finish reason and usage. Citations and events that are new are
 * passed over.
 */
export function createCohereAssembler(): StreamAssembler {
  let plan = "";
  let text = "";
  let id: unknown;
  let ended: Record<string, unknown> | null = null;
  const blocks = new Map<unknown, Record<string, unknown>>();
  const calls = new Map<unknown, CallInProgress>();

  const addContent = (index: unknown, content: Record<string, unknown>): boolean => {
    const block = blocks.get(index) ?? { type: typeof content["thinking"] === "string" ? "thinking" : "text" };
    blocks.set(index, block);
    const field = block["type"] === "thinking" ? "thinking" : "text";
    const piece = textOf(content[field]);
    block[field] = textOf(block[field]) + piece;
    if (field === "thinking") return false;
    text += piece;
    return piece !== "";
  };

  const startCall = (index: unknown, call: Record<string, unknown>): void => {
    const called = isRecord(call["function"]) ? call["function"] : {};
    calls.set(index, { id: call["id"], name: called["name"], arguments: textOf(called["arguments"]) });
  };

  const addArguments = (index: unknown, delta: Record<string, unknown>): void => {
    const call = calls.get(index);
    if (call !== undefined && isRecord(delta["function"])) call.arguments += textOf(delta["function"]["arguments"]);
  };

  return {
    get text() {
      return text;
    },
    add({ name, data }): StreamStep {
      const { index } = data;
      const delta = isRecord(data["delta"]) ? data["delta"] : {};
      const message = isRecord(delta["message"]) ? delta["message"] : {};
      const content = isRecord(message["content"]) ? message["content"] : {};
      const call = isRecord(message["tool_calls"]) ? message["tool_calls"] : {};
      switch (typeof data["type"] === "string" ? data["type"] : name) {
        case "message-start":
          id = data["id"];
          return { kind: "meta" };
        case "tool-plan-delta":
          plan += textOf(message["tool_plan"]);
          return { kind: "meta" };
        case "content-start":
          if (typeof content["type"] === "string") blocks.set(index, { type: content["type"] });
          return { kind: addContent(index, content) ? "content" : "meta" };
        case "content-delta":
          return { kind: addContent(index, content) ? "content" : "meta" };
        case "tool-call-start":
          startCall(index, call);
          return { kind: "content" };
        case "tool-call-delta":
          addArguments(index, call);
          return { kind: "content" };
        case "message-end": {
          const failed = failedGeneration(delta["finish_reason"], data);
          if (failed !== null) return { kind: "error", ...failed };
          ended = delta;
          return { kind: "end" };
        }
        case doneEvent:
          return { kind: "end" };
        default:
          return { kind: "none" };
      }
    },
    finish() {
      if (ended === null) return null;
      const message: Record<string, unknown> = { role: "assistant" };
      if (plan !== "") message["tool_plan"] = plan;
      if (blocks.size > 0) message["content"] = [...blocks.values()];
      if (calls.size > 0) message["tool_calls"] = [...calls.values()].map(toCall);
      return { id, ...ended, message };
    },
  };
}

function toCall({ id, name, arguments: text }: CallInProgress): Record<string, unknown> {
  return { id, type: "function", function: { name, arguments: text } };
}
