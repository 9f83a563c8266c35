import { isList, isRecord, textOf } from "../../values/json.js";
import { assembleToolInput } from "../tool-arguments.js";
import type { StreamAssembler, StreamEvent, StreamStep } from "../wire-format.js";

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
