import { isList, isRecord, textOf } from "../../values/json.js";
import { failure, success, type Result } from "../../result.js";
import type { RequestedToolCall } from "../../transcript/message.js";
import type { Usage } from "../../transcript/usage.js";
import type { FinishReason, RanToolCall } from "../provider.js";
import { toFinishReason } from "../to-finish-reason.js";
import { readToolArguments, toolCallId, assembleToolInput } from "../tool-arguments.js";
import type { WireAnswer, StreamAssembler, StreamEvent, StreamStep } from "../wire-format.js";
import { toPassthrough } from "./passthrough-content.js";

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  guardrail_intervened: "content_filter",
  content_filtered: "content_filter",
};

/** What the exceptions of Bedrock's runtime would be as the status of a reply, by the API's own model. */
const statuses: ReadonlyMap<string, number> = new Map([
  ["accessdeniedexception", 403],
  ["internalserverexception", 500],
  ["modelerrorexception", 424],
  ["modelnotreadyexception", 429],
  ["modelstreamerrorexception", 424],
  ["modeltimeoutexception", 408],
  ["resourcenotfoundexception", 404],
  ["servicequotaexceededexception", 400],
  ["serviceunavailableexception", 503],
  ["throttlingexception", 429],
  ["validationexception", 400],
]);

/** Reads a reply of Converse. The error is the reason why it cannot be used. */
export function fromBedrockResponse(json: Record<string, unknown>, turn: number): Result<WireAnswer, string> {
  const output = json["output"];
  const message = isRecord(output) ? output["message"] : undefined;
  const content = isRecord(message) ? message["content"] : undefined;
  if (!isList(content)) return failure("no message in its body");
  let text = "";
  const toolCalls: RequestedToolCall[] = [];
  const ranCalls: RanToolCall[] = [];
  for (const block of content) {
    if (!isRecord(block)) return failure("a content block that is not an object");
    text += textOfBlock(block);
    const call = block["toolUse"];
    if (!isRecord(call)) continue;
    const { type, toolUseId, name, input } = call;
    if (typeof name !== "string" || name === "") return failure("a tool call that has no name");
    const read = { tool: name, ...readToolArguments(input) };
    // A call with a type is one that the model's provider has run itself.
    if (type !== undefined) ranCalls.push(read);
    else toolCalls.push({ id: toolCallId(toolUseId, turn, toolCalls.length), ...read });
  }
  return success({
    text,
    toolCalls,
    ...(ranCalls.length === 0 ? {} : { ranCalls }),
    finishReason: toFinishReason(finishReasons, json["stopReason"], toolCalls.length > 0),
    usage: usageOf(json["usage"]),
    modelServed: modelOf(json["trace"]),
    providerData: toPassthrough(content),
  });
}

/** An answer with sources has its text inside of the block that names them. */
function textOfBlock({ text, citationsContent: cited }: Record<string, unknown>): string {
  if (typeof text === "string") return text;
  const parts: readonly unknown[] = isRecord(cited) && Array.isArray(cited["content"]) ? cited["content"] : [];
  return parts.map((part) => (isRecord(part) && typeof part["text"] === "string" ? part["text"] : "")).join("");
}

/**
 * Bedrock counts cached tokens apart from `inputTokens`, as
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html says; here they are part of the input, as
 * everywhere else.
 */
function usageOf(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const { inputTokens: input, outputTokens, cacheReadInputTokens: read, cacheWriteInputTokens: written } = value;
  if (typeof input !== "number" || typeof outputTokens !== "number") return null;
  const usage: Usage = { inputTokens: input + countOf(read) + countOf(written), outputTokens };
  if (typeof read === "number") usage.cachedInputTokens = read;
  return usage;
}

function countOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** Converse does not say which model answered, except where a router chose it. */
function modelOf(trace: unknown): string | null {
  const router = isRecord(trace) ? trace["promptRouter"] : undefined;
  const model = isRecord(router) ? router["invokedModelId"] : undefined;
  return typeof model === "string" ? model : null;
}

/** One content block in the making. */
interface Block {
  /** As `contentBlockStart` has it, such as `{ toolUse: { toolUseId, name } }`; empty for text and reasoning. */
  start: Record<string, unknown>;
  text: string;
  input: string;
  reasoning: string;
  signature: string;
  redacted: Buffer[];
  citations: unknown[];
  results: unknown[];
}

/**
 * Puts the events of ConverseStream together: `messageStart`, then for each block `contentBlockStart` (tool calls
 * only), deltas and `contentBlockStop`, then `messageStop` with the stop reason, then `metadata` with the usage. Events
 * that are new are ignored.
 */
export class BedrockAssembler implements StreamAssembler {
  #role: unknown = "assistant";
  #stop: Record<string, unknown> | null = null;
  #metadata: Record<string, unknown> = {};
  #text = "";
  readonly #blocks = new Map<unknown, Block>();

  get text(): string {
    return this.#text;
  }

  add({ name, data }: StreamEvent): StreamStep {
    if (typeof data["__type"] === "string") {
      const status = statuses.get(data["__type"].toLowerCase()) ?? 500;
      return { kind: "error", status, body: JSON.stringify(data) };
    }
    switch (name) {
      case "messageStart":
        this.#role = data["role"];
        return { kind: "meta" };
      case "contentBlockStart": {
        const block = this.#blockAt(data["contentBlockIndex"]);
        block.start = isRecord(data["start"]) ? data["start"] : {};
        return { kind: isRecord(block.start["toolUse"]) ? "content" : "meta" };
      }
      case "contentBlockDelta": {
        const block = this.#blockAt(data["contentBlockIndex"]);
        return { kind: isRecord(data["delta"]) && this.#addDelta(block, data["delta"]) ? "content" : "meta" };
      }
      case "contentBlockStop":
        return { kind: "meta" };
      case "messageStop":
        this.#stop = data;
        return { kind: "meta" };
      case "metadata":
        this.#metadata = data;
        return { kind: this.#stop === null ? "meta" : "end" };
      default:
        return { kind: "none" };
    }
  }

  finish(): Record<string, unknown> | null {
    if (this.#stop === null) return null;
    const content = [...this.#blocks.values()].flatMap((block) => contentOf(block));
    return { ...this.#metadata, ...this.#stop, output: { message: { role: this.#role, content } } };
  }

  #blockAt(index: unknown): Block {
    let block = this.#blocks.get(index);
    if (block === undefined) this.#blocks.set(index, (block = emptyBlock()));
    return block;
  }

  /** True if the delta is a piece of the answer. */
  #addDelta(block: Block, delta: Record<string, unknown>): boolean {
    const { text: piece, toolUse, reasoningContent: reasoning, citation, toolResult: results } = delta;
    if (typeof piece === "string") {
      block.text += piece;
      this.#text += piece;
      return piece !== "";
    }
    if (isRecord(toolUse)) {
      block.input += textOf(toolUse["input"]);
      return true;
    }
    if (isRecord(reasoning)) {
      block.reasoning += textOf(reasoning["text"]);
      block.signature += textOf(reasoning["signature"]);
      // Each piece is base64 by itself, which cannot be joined as text.
      block.redacted.push(Buffer.from(textOf(reasoning["redactedContent"]), "base64"));
    }
    if (citation !== undefined) block.citations.push(citation);
    if (isList(results)) block.results.push(...results);
    return false;
  }
}

function emptyBlock(): Block {
  return { start: {}, text: "", input: "", reasoning: "", signature: "", redacted: [], citations: [], results: [] };
}

/** The block as Converse has it; nothing for one that stayed empty or is of a kind that is not known. */
function contentOf({ start, text, input, ...rest }: Block): readonly Record<string, unknown>[] {
  const { toolUse, toolResult } = start;
  if (isRecord(toolUse)) return [{ toolUse: { ...toolUse, input: assembleToolInput(input) } }];
  if (isRecord(toolResult)) return [{ toolResult: { ...toolResult, content: rest.results } }];
  const { reasoning, signature, citations } = rest;
  const redacted = Buffer.concat(rest.redacted);
  if (redacted.length > 0) return [{ reasoningContent: { redactedContent: redacted.toString("base64") } }];
  if (reasoning !== "" || signature !== "") {
    const reasoningText = signature === "" ? { text: reasoning } : { text: reasoning, signature };
    return [{ reasoningContent: { reasoningText } }];
  }
  if (citations.length > 0) return [{ citationsContent: { content: [{ text }], citations } }];
  return text === "" ? [] : [{ text }];
}
