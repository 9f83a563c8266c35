import { isRecord } from "../../../values/json.js";
import { passthroughList, passthroughData } from "../../passthrough-data.js";

/**
 * Output items that must go back unchanged: reasoning, and messages with a phase. They have the mark of their source,
 * because no other account and no other model can decrypt the reasoning.
 */
export interface PassthroughContent {
  openai: { source: string; output: readonly unknown[] };
}

/** What to keep of an answer; undefined when text and tool calls already say all of it. */
export function toPassthrough(output: readonly unknown[], source: string): PassthroughContent | undefined {
  const items = withoutLastReasoning(output.filter(canGoBack));
  if (items.every(isPlain)) return undefined;
  // The server looks for the reasoning that belongs to an id, and refuses the id without it.
  const isWhole = items.length === output.length;
  return { openai: { source, output: isWhole ? items : items.map(withoutId) } };
}

/** The items to send back, if this source made some. */
export function passthroughContent(providerData: unknown, source: string): readonly unknown[] | null {
  return passthroughData("openai", providerData)?.["source"] === source
    ? passthroughList("openai", "output", providerData)
    : null;
}

/** Nothing is stored on the server, so reasoning without its content is only an id that nobody knows. */
function canGoBack(item: unknown): boolean {
  if (!isReasoning(item)) return true;
  const { encrypted_content: encrypted, content } = item;
  return (typeof encrypted === "string" && encrypted !== "") || (Array.isArray(content) && content.length > 0);
}

/** Reasoning that was cut off before what it was for is refused. */
function withoutLastReasoning(items: readonly unknown[]): readonly unknown[] {
  const last = items.findLastIndex((item) => !isReasoning(item));
  return items.slice(0, last + 1);
}

function isReasoning(item: unknown): item is Record<string, unknown> {
  return isRecord(item) && item["type"] === "reasoning";
}

function isPlain(item: unknown, index: number): boolean {
  if (!isRecord(item)) return false;
  if (item["type"] === "function_call") return (item["namespace"] ?? null) === null;
  return item["type"] === "message" && index === 0 && (item["phase"] ?? null) === null;
}

function withoutId(item: unknown): unknown {
  if (!isRecord(item)) return item;
  const { id: _id, ...rest } = item;
  return rest;
}
