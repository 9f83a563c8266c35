import { isList, isRecord, textOf } from "../../values/json.js";
import { failure, success, type Result } from "../../result.js";
import type { RequestedToolCall } from "../../transcript/message.js";
import type { Usage } from "../../transcript/usage.js";
import type { FinishReason, RanToolCall } from "../provider.js";
import { toFinishReason } from "../to-finish-reason.js";
import { readToolArguments, assembleToolInput } from "../tool-arguments.js";
import type { WireAnswer, StreamAssembler, StreamEvent, StreamStep } from "../wire-format.js";
import { toPassthrough } from "./passthrough-content.js";
import { streamedError } from "../http/streaming/streamed-error.js";

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "refusal",
};

/** Reads a message. The error is the reason why it cannot be used. */
export function fromAnthropicResponse(json: Record<string, unknown>): Result<WireAnswer, string> {
  const content = json["content"];
  if (!isList(content)) return failure("no content in its body");
  let text = "";
  const toolCalls: RequestedToolCall[] = [];
  const ranCalls: RanToolCall[] = [];
  for (const block of content) {
    if (!isRecord(block)) return failure("a content block that is not an object");
    if (block["type"] === "text" && typeof block["text"] === "string") text += block["text"];
    const { type, id, name, input } = block;
    const isRan = type === "server_tool_use" || type === "mcp_tool_use";
    if (type !== "tool_use" && !isRan) continue;
    if (typeof id !== "string" || typeof name !== "string" || name === "") {
      return failure("a tool call that has no name or id");
    }
    const call = { tool: name, ...readToolArguments(input) };
    if (isRan) ranCalls.push(call);
    else toolCalls.push({ id, ...call });
  }
  return success({
    text,
    toolCalls,
    ...(ranCalls.length === 0 ? {} : { ranCalls }),
    finishReason: toFinishReason(finishReasons, json["stop_reason"], toolCalls.length > 0),
    usage: usageOf(json["usage"]),
    modelServed: typeof json["model"] === "string" ? json["model"] : null,
    providerData: toPassthrough(content),
  });
}

/** Anthropic counts cached tokens apart from `input_tokens`; here they are part of the input, as everywhere else. */
function usageOf(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const { input_tokens: input, output_tokens: outputTokens } = value;
  if (typeof input !== "number" || typeof outputTokens !== "number") return null;
  const read = countOf(value["cache_read_input_tokens"]);
  const usage: Usage = { inputTokens: input + read + countOf(value["cache_creation_input_tokens"]), outputTokens };
  if (typeof value["cache_read_input_tokens"] === "number") usage.cachedInputTokens = read;
  const details = value["output_tokens_details"];
  if (isRecord(details) && typeof details["thinking_tokens"] === "number") {
    usage.reasoningTokens = details["thinking_tokens"];
  }
  return usage;
}

function countOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/**
 * Puts the events of a streamed message together: `message_start`, then for each block `content_block_start`, deltas
 * and `content_block_stop`, then `message_delta` with stop reason and usage, then `message_stop`. `ping` may come at
 * any time, and so may new kinds of events, which are ignored.
 */
export class AnthropicAssembler implements StreamAssembler {
  #message: Record<string, unknown> | null = null;
  #isComplete = false;
  #text = "";
  readonly #blocks = new Map<unknown, Record<string, unknown>>();
  readonly #inputs = new Map<unknown, string>();

  get text(): string {
    return this.#text;
  }

  add({ name, data }: StreamEvent): StreamStep {
    const type = typeof data["type"] === "string" ? data["type"] : name;
    switch (type) {
      case "message_start":
        this.#message = isRecord(data["message"]) ? { ...data["message"] } : {};
        return { kind: "meta" };
      case "content_block_start": {
        const block = isRecord(data["content_block"]) ? { ...data["content_block"] } : {};
        return { kind: this.#startBlock(data["index"], block) ? "content" : "meta" };
      }
      case "content_block_delta": {
        const isContent = isRecord(data["delta"]) && this.#addDelta(data["index"], data["delta"]);
        return { kind: isContent ? "content" : "meta" };
      }
      case "message_delta":
        this.#addToMessage(data);
        return { kind: "meta" };
      case "message_stop":
        this.#isComplete = true;
        return { kind: "end" };
      case "error":
        return streamedError(data);
      default:
        return { kind: "none" };
    }
  }

  finish(): Record<string, unknown> | null {
    if (!this.#isComplete || this.#message === null) return null;
    const content = [...this.#blocks].map(([index, block]) => withInput(block, this.#inputs.get(index)));
    return { ...this.#message, content };
  }

  /** True if the block brought a piece of the answer. */
  #startBlock(index: unknown, block: Record<string, unknown>): boolean {
    this.#blocks.set(index, block);
    const piece = block["type"] === "text" ? textOf(block["text"]) : "";
    this.#text += piece;
    return piece !== "" || block["type"] === "tool_use";
  }

  /** True if the delta brought a piece of the answer. */
  #addDelta(index: unknown, delta: Record<string, unknown>): boolean {
    const block = this.#blocks.get(index);
    if (block === undefined) return false;
    switch (delta["type"]) {
      case "text_delta": {
        const piece = textOf(delta["text"]);
        block["text"] = textOf(block["text"]) + piece;
        this.#text += piece;
        return piece !== "";
      }
      case "input_json_delta":
        this.#inputs.set(index, (this.#inputs.get(index) ?? "") + textOf(delta["partial_json"]));
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
  }

  #addToMessage({ delta, usage }: Record<string, unknown>): void {
    const before = isRecord(this.#message?.["usage"]) ? this.#message["usage"] : {};
    const further = isRecord(usage) ? usage : {};
    // The counts of a delta are the sums so far, and what it does not name stays.
    const told = Object.fromEntries(Object.entries(further).filter(([, count]) => count !== null));
    this.#message = { ...this.#message, ...(isRecord(delta) ? delta : {}), usage: { ...before, ...told } };
  }
}

function withInput(block: Record<string, unknown>, json = ""): Record<string, unknown> {
  return json === "" ? block : { ...block, input: assembleToolInput(json) };
}
