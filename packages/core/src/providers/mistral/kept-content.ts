import { isRecord } from "../../values/json.js";

/** Content that must go back as it came, such as thinking; marked, so that another provider's is not taken for it. */
export interface KeptContent {
  mistral: { content: readonly unknown[] };
}

/** What to keep of the content of an answer; undefined when its text already says all of it. */
export function keepContent(content: unknown): KeptContent | undefined {
  if (!Array.isArray(content)) return undefined;
  const isPlain = content.every((chunk) => isRecord(chunk) && chunk["type"] === "text");
  return isPlain ? undefined : { mistral: { content } };
}

/** The content to send back, if this provider kept some. */
export function keptContent(providerData: unknown): readonly unknown[] | null {
  const kept = isRecord(providerData) ? providerData["mistral"] : undefined;
  const content: unknown = isRecord(kept) ? kept["content"] : undefined;
  return Array.isArray(content) ? content : null;
}
