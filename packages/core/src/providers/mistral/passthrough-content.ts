import { isRecord } from "../../values/json.js";
import { passthroughList } from "../passthrough-data.js";

/** Content that must go back as it came, such as thinking. */
export interface PassthroughContent {
  mistral: { content: readonly unknown[] };
}

/** What to keep of the content of an answer; undefined when its text already says all of it. */
export function toPassthrough(content: unknown): PassthroughContent | undefined {
  if (!Array.isArray(content)) return undefined;
  const isPlain = content.every((chunk) => isRecord(chunk) && chunk["type"] === "text");
  return isPlain ? undefined : { mistral: { content } };
}

/** The content to send back, if this provider kept some. */
export function passthroughContent(providerData: unknown): readonly unknown[] | null {
  return passthroughList("mistral", "content", providerData);
}
