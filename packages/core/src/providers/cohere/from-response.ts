import { failure, success, type Result } from "../../result.js";
import type { Usage } from "../../transcript/usage.js";
import { isRecord, textOf } from "../../values/json.js";
import { chatText } from "../chat-completions/from-response.js";
import { readChatCalls } from "../chat-completions/read-chat-calls.js";
import type { FinishReason } from "../provider.js";
import { toFinishReason } from "../to-finish-reason.js";
import type { InBandError, WireAnswer, StreamAssembler, StreamEvent, StreamStep } from "../wire-format.js";
import { toPassthrough } from "./passthrough-content.js";
import { doneEvent } from "../http/streaming/stream-decoder.js";

const finishReasons: Readonly<Record<string, FinishReason>> = {
  COMPLETE: "stop",
  STOP_SEQUENCE: "stop",
  MAX_TOKENS: "length",
  TOOL_CALL: "tool_calls",
};

/** What the server would have answered if it had known in time that it cannot finish. */
const statuses: Readonly<Record<string, number>> = { ERROR: 500, TIMEOUT: 504 };

/**
 * Reads a reply of the v2 Chat API. The error is the reason why it cannot be used, or the failure that it reports.
 * Replies do not name the model. `turn` numbers the ids of tool calls that come without any.
 */
export function fromCohereResponse(
  json: Record<string, unknown>,
  turn: number,
): Result<WireAnswer, string | InBandError> {
  const message = json["message"];
  const reason = json["finish_reason"];
  const failed = failedGeneration(reason, json);
  if (failed !== null) return failure(failed);
  if (!isRecord(message)) return failure("no message in its body");
  const toolCalls = readChatCalls(message["tool_calls"], turn);
  if (toolCalls === null) return failure("a tool call that has no function name");
  const hasCalls = toolCalls.length > 0;
  return success({
    // Blocks with thoughts have no text, and are not part of the answer.
    text: chatText(message["content"]),
    toolCalls,
    finishReason: toFinishReason(finishReasons, reason, hasCalls),
    usage: usageOf(json["usage"]),
    modelServed: null,
    providerData: toPassthrough(message, hasCalls),
  });
}

/**
 * Cohere counts twice: what the model read and wrote, with the parts of the prompt that Cohere adds itself, and what is
 * billed. The bill is what prices apply to. Cached tokens are part of the first count only, so they are reported where
 * a server gives no other.
 */
function usageOf(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const billed = countsOf(value["billed_units"]);
  if (billed !== null) return billed;
  const counted = countsOf(value["tokens"]);
  const cached = value["cached_tokens"];
  return counted === null || typeof cached !== "number" ? counted : { ...counted, cachedInputTokens: cached };
}

function countsOf(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const { input_tokens: inputTokens, output_tokens: outputTokens } = value;
  return typeof inputTokens === "number" && typeof outputTokens === "number" ? { inputTokens, outputTokens } : null;
}

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

/** A generation that the server gave up in the middle, as the error reply that it would have been; else null. */
function failedGeneration(finishReason: unknown, told: Record<string, unknown>): InBandError | null {
  const status =
    typeof finishReason === "string" && Object.hasOwn(statuses, finishReason) ? statuses[finishReason] : undefined;
  return status === undefined ? null : { status, body: JSON.stringify(told) };
}
