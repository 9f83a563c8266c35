import { keptUnder } from "../kept-data.js";

/** The thinking of an answer goes back with it. */
export interface KeptContent {
  ollama: { thinking: string };
}

/** What to keep of an answer; undefined when there is no thinking. */
export function keepContent(thinking: unknown): KeptContent | undefined {
  return typeof thinking === "string" && thinking !== "" ? { ollama: { thinking } } : undefined;
}

/** The thinking to send back, if this provider kept some. */
export function keptContent(providerData: unknown): string | null {
  const thinking = keptUnder("ollama", providerData)?.["thinking"];
  return typeof thinking === "string" ? thinking : null;
}
