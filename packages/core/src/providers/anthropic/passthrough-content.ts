import { isRecord } from "../../values/json.js";
import { passthroughList } from "../passthrough-data.js";

/**
 * Content blocks that must go back unchanged, such as signed thinking.
 */
export interface PassthroughContent {
  anthropic: { content: readonly unknown[] };
}

/** What to keep of an answer; undefined when text and tool calls already say all of it. */
export function toPassthrough(content: readonly unknown[]): PassthroughContent | undefined {
  const types = content.map((block) => (isRecord(block) ? block["type"] : undefined));
  const isPlain = types.every((type, index) => type === "tool_use" || (type === "text" && index === 0));
  return isPlain ? undefined : { anthropic: { content: content.map(withObjectInput) } };
}

/** Arguments that were cut off while streaming are text, which the API does not take back. */
function withObjectInput(block: unknown): unknown {
  return isRecord(block) && typeof block["input"] === "string" ? { ...block, input: {} } : block;
}

/** The blocks to send back, if this provider kept some. */
export function passthroughContent(providerData: unknown): readonly unknown[] | null {
  return passthroughList("anthropic", "content", providerData);
}
