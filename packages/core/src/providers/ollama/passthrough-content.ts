import { passthroughData } from "../passthrough-data.js";

/** The thinking of an answer goes back with it. */
export interface PassthroughContent {
  ollama: { thinking: string };
}

/** What to keep of an answer; undefined when there is no thinking. */
export function toPassthrough(thinking: unknown): PassthroughContent | undefined {
  return typeof thinking === "string" && thinking !== "" ? { ollama: { thinking } } : undefined;
}

/** The thinking to send back, if this provider kept some. */
export function passthroughContent(providerData: unknown): string | null {
  const thinking = passthroughData("ollama", providerData)?.["thinking"];
  return typeof thinking === "string" ? thinking : null;
}
