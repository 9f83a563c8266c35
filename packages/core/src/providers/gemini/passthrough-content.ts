import { isRecord } from "../../values/json.js";
import { passthroughList } from "../passthrough-data.js";

/**
 * Parts of an answer that must go back unchanged, such as those with a thought signature.
 */
export interface PassthroughContent {
  gemini: { parts: readonly unknown[] };
}

/**
 * What to keep of an answer; undefined when text and tool calls already say all of it. Calls without an id are kept as
 * well, so that the ids which KindLM gives them never reach the API.
 */
export function toPassthrough(parts: readonly unknown[]): PassthroughContent | undefined {
  return parts.every(isPlain) ? undefined : { gemini: { parts } };
}

function isPlain(part: unknown, index: number): boolean {
  if (!isRecord(part)) return false;
  const keys = Object.keys(part);
  if (keys.length !== 1) return false;
  if (typeof part["text"] === "string") return index === 0;
  return isRecord(part["functionCall"]) && typeof part["functionCall"]["id"] === "string";
}

/** The parts to send back, if this provider kept some. */
export function passthroughContent(providerData: unknown): readonly unknown[] | null {
  return passthroughList("gemini", "parts", providerData);
}
