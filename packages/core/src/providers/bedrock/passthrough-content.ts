import { isRecord } from "../../values/json.js";
import { passthroughList } from "../passthrough-data.js";

/**
 * Content blocks that must go back unchanged, such as signed reasoning.
 */
export interface PassthroughContent {
  bedrock: { content: readonly unknown[] };
}

/**
 * What to keep of an answer; undefined when text and tool calls already say all of it. Reasoning without a signature
 * is dropped, since models that do not sign refuse to have it back, and so is blank text, which the API refuses.
 */
export function toPassthrough(content: readonly unknown[]): PassthroughContent | undefined {
  const wanted = content.filter((block) => !isUnsignedReasoning(block) && !isBlank(block));
  const isPlain = wanted.every((block, index) => isPlainCall(block) || (index === 0 && isText(block)));
  return isPlain ? undefined : { bedrock: { content: wanted.map(withObjectInput) } };
}

/** The blocks to send back, if this provider kept some. */
export function passthroughContent(providerData: unknown): readonly unknown[] | null {
  return passthroughList("bedrock", "content", providerData);
}

function isUnsignedReasoning(block: unknown): boolean {
  const reasoning = isRecord(block) ? block["reasoningContent"] : undefined;
  if (!isRecord(reasoning) || reasoning["redactedContent"] !== undefined) return false;
  const text = reasoning["reasoningText"];
  return !isRecord(text) || typeof text["signature"] !== "string" || text["signature"] === "";
}

function isBlank(block: unknown): boolean {
  return isRecord(block) && typeof block["text"] === "string" && block["text"].trim() === "";
}

function isText(block: unknown): boolean {
  return isRecord(block) && typeof block["text"] === "string";
}

/** A call of one of the user's tools; the model's provider runs those that have a type. */
function isPlainCall(block: unknown): boolean {
  return isRecord(block) && isRecord(block["toolUse"]) && block["toolUse"]["type"] === undefined;
}

/** Arguments that were cut off while streaming are text, which the API does not take back. */
function withObjectInput(block: unknown): unknown {
  if (!isRecord(block) || !isRecord(block["toolUse"]) || typeof block["toolUse"]["input"] !== "string") return block;
  return { ...block, toolUse: { ...block["toolUse"], input: {} } };
}
