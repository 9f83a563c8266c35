import { isRecord } from "../../values/json.js";
import { passthroughData } from "../passthrough-data.js";

/**
 * What the model said before and with its tool calls: its plan, and content with its thoughts. It must go back with
 * the calls.
 */
export interface PassthroughContent {
  cohere: { tool_plan?: string; content?: readonly unknown[] };
}

/** What to keep of an answer; undefined when text and tool calls already say all of it. Citations are not kept. */
export function toPassthrough(message: Record<string, unknown>, hasCalls: boolean): PassthroughContent | undefined {
  const content: readonly unknown[] = Array.isArray(message["content"]) ? message["content"] : [];
  const plan = typeof message["tool_plan"] === "string" ? message["tool_plan"] : "";
  const isPlainText = content.length <= 1 && content.every((block) => isRecord(block) && block["type"] === "text");
  if (plan === "" && (hasCalls ? content.length === 0 : isPlainText)) return undefined;
  return { cohere: { ...(plan === "" ? {} : { tool_plan: plan }), ...(content.length === 0 ? {} : { content }) } };
}

/** The fields to send back, if this provider kept some. */
export function passthroughContent(providerData: unknown): Readonly<Record<string, unknown>> | null {
  return passthroughData("cohere", providerData);
}
