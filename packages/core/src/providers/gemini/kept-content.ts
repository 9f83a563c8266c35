import { isRecord } from "../../values/json.js";

/**
 * Parts of an answer that must go back unchanged, such as those with a thought signature. Kept as plain data, so that a
 * transcript can be stored, and marked, so that another provider's data is not taken for it.
 */
export interface KeptParts {
  gemini: { parts: readonly unknown[] };
}

/**
 * What to keep of an answer; undefined when text and tool calls already say all of it. Calls without an id are kept as
 * well, so that the ids which KindLM gives them never reach the API.
 */
export function keepParts(parts: readonly unknown[]): KeptParts | undefined {
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
export function keptParts(providerData: unknown): readonly unknown[] | null {
  const kept = isRecord(providerData) ? providerData["gemini"] : undefined;
  const parts: unknown = isRecord(kept) ? kept["parts"] : undefined;
  return Array.isArray(parts) ? parts : null;
}
