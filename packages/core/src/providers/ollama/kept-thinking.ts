import { isRecord } from "../../values/json.js";

/** The thinking of an answer goes back with it; marked, so that another provider's data is not taken for it. */
export interface KeptThinking {
  ollama: { thinking: string };
}

/** The thinking to send back, if this provider kept some. */
export function keptThinking(providerData: unknown): string | null {
  const kept = isRecord(providerData) ? providerData["ollama"] : undefined;
  const thinking = isRecord(kept) ? kept["thinking"] : undefined;
  return typeof thinking === "string" ? thinking : null;
}
