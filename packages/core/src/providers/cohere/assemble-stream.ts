import { isRecord, textOf } from "../../values/json.js";
import { doneEvent } from "../http/streaming/stream-decoder.js";
import type { StreamAssembler, StreamEvent, StreamStep } from "../wire-format.js";
import { failedGeneration } from "./failed-generation.js";

interface CallInProgress {
  id: unknown;
  name: unknown;
  arguments: string;
}

/**
 * Puts the events of a streamed chat together: `message-start`, then the plan, content blocks and tool calls, each with
 * their start, deltas and end, then `message-end` with finish reason and usage. Citations and events that are new are
 * ignored.
 */
export class CohereAssembler implements StreamAssembler {
  #plan = "";
  #text = "";
  #id: unknown;
  #ended: Record<string, unknown> | null = null;
  readonly #blocks = new Map<unknown, Record<string, unknown>>();
  readonly #calls = new Map<unknown, CallInProgress>();

  get text(): string {
    return this.#text;
  }

  add({ name, data }: StreamEvent): StreamStep {
    const { index } = data;
    const delta = isRecord(data["delta"]) ? data["delta"] : {};
    const message = isRecord(delta["message"]) ? delta["message"] : {};
    const content = isRecord(message["content"]) ? message["content"] : {};
    const call = isRecord(message["tool_calls"]) ? message["tool_calls"] : {};
    switch (typeof data["type"] === "string" ? data["type"] : name) {
      case "message-start":
        this.#id = data["id"];
        return { kind: "meta" };
      case "tool-plan-delta":
        this.#plan += textOf(message["tool_plan"]);
        return { kind: "meta" };
      case "content-start":
        if (typeof content["type"] === "string") this.#blocks.set(index, { type: content["type"] });
        return { kind: this.#addContent(index, content) ? "content" : "meta" };
      case "content-delta":
        return { kind: this.#addContent(index, content) ? "content" : "meta" };
      case "tool-call-start":
        this.#startCall(index, call);
        return { kind: "content" };
      case "tool-call-delta":
        this.#addArguments(index, call);
        return { kind: "content" };
      case "message-end": {
        const failed = failedGeneration(delta["finish_reason"], data);
        if (failed !== null) return { kind: "error", ...failed };
        this.#ended = delta;
        return { kind: "end" };
      }
      case doneEvent:
        return { kind: "end" };
      default:
        return { kind: "none" };
    }
  }

  finish(): Record<string, unknown> | null {
    if (this.#ended === null) return null;
    const message: Record<string, unknown> = { role: "assistant" };
    if (this.#plan !== "") message["tool_plan"] = this.#plan;
    if (this.#blocks.size > 0) message["content"] = [...this.#blocks.values()];
    if (this.#calls.size > 0) message["tool_calls"] = [...this.#calls.values()].map(toCall);
    return { id: this.#id, ...this.#ended, message };
  }

  #addContent(index: unknown, content: Record<string, unknown>): boolean {
    const block = this.#blocks.get(index) ?? { type: typeof content["thinking"] === "string" ? "thinking" : "text" };
    this.#blocks.set(index, block);
    const field = block["type"] === "thinking" ? "thinking" : "text";
    const piece = textOf(content[field]);
    block[field] = textOf(block[field]) + piece;
    if (field === "thinking") return false;
    this.#text += piece;
    return piece !== "";
  }

  #startCall(index: unknown, call: Record<string, unknown>): void {
    const called = isRecord(call["function"]) ? call["function"] : {};
    this.#calls.set(index, { id: call["id"], name: called["name"], arguments: textOf(called["arguments"]) });
  }

  #addArguments(index: unknown, delta: Record<string, unknown>): void {
    const call = this.#calls.get(index);
    if (call !== undefined && isRecord(delta["function"])) call.arguments += textOf(delta["function"]["arguments"]);
  }
}

function toCall({ id, name, arguments: text }: CallInProgress): Record<string, unknown> {
  return { id, type: "function", function: { name, arguments: text } };
}
