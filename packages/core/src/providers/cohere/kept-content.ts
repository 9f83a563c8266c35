import { isRecord } from "../../values/json.js";

/**
 * What the model said before and beside its tool calls: its plan, and content with its thoughts. It must go back with
 * the calls. Kept as plain data, so that a transcript can be stored, and marked, so that another provider's data is not
 * taken for it.
 */
export interface KeptMessage {
  cohere: { tool_plan?: string; content?: readonly unknown[] };
}

/** What to keep of an answer; undefined when text and tool calls already say all of it. Citations are not kept. */
export function keepMessage(message: Record<string, unknown>, hasCalls: boolean): KeptMessage | undefined {
  const content: readonly unknown[] = Array.isArray(message["content"]) ? message["content"] : [];
  const plan = typeof message["tool_plan"] === "string" ? message["tool_plan"] : "";
  const isPlainText = content.length <= 1 && content.every((block) => isRecord(block) && block["type"] === "text");
  if (plan === "" && (hasCalls ? content.length === 0 : isPlainText)) return undefined;
  return { cohere: { ...(plan === "" ? {} : { tool_plan: plan }), ...(content.length === 0 ? {} : { content }) } };
}

/** The fields to send back, if this provider kept some. */
export function keptMessage(providerData: unknown): Record<string, unknown> | null {
  const kept = isRecord(providerData) ? providerData["cohere"] : undefined;
  return isRecord(kept) ? kept : null;
}
