import { passthroughData } from "../passthrough-data.js";

/**
 * Reasoning that a server wants back, unchanged, with the tool calls that followed it: DeepSeek's `reasoning_content`
 * (https://api-docs.deepseek.com/guides/thinking_mode), without which it refuses the next request, and OpenRouter's
 * `reasoning_details` (https://openrouter.ai/docs/use-cases/reasoning-tokens).
 */
export interface PassthroughContent {
  openaiChat: { reasoning_content?: string; reasoning_details?: readonly unknown[] };
}

/** What to keep of a message; undefined when it has none of it, or no tool calls. */
export function toPassthrough(message: Record<string, unknown>, hasCalls: boolean): PassthroughContent | undefined {
  if (!hasCalls) return undefined;
  const { reasoning_content: content, reasoning_details: details } = message;
  const kept: PassthroughContent["openaiChat"] = {};
  // Also an empty one: DeepSeek asks for the field, whatever it holds.
  if (typeof content === "string") kept.reasoning_content = content;
  if (Array.isArray(details) && details.length > 0) kept.reasoning_details = details;
  return Object.keys(kept).length === 0 ? undefined : { openaiChat: kept };
}

/** The fields to send back with a message, if this provider kept some. */
export function passthroughContent(providerData: unknown): Readonly<Record<string, unknown>> {
  return passthroughData("openaiChat", providerData) ?? {};
}
