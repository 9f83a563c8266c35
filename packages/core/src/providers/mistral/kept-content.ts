import { isRecord } from "../../values/json.js";
import { keptList } from "../kept-data.js";

/** Content that must go back as it came, such as thinking. */
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
  return keptList("mistral", "content", providerData);
}
