import { isRecord } from "../../values/json.js";

/**
 * Reasoning that a server wants back, unchanged, with the tool calls that followed it: DeepSeek's `reasoning_content`
 * (https://api-docs.deepseek.com/guides/thinking_mode), without which it refuses the next request, and OpenRouter's
 * `reasoning_details` (https://openrouter.ai/docs/use-cases/reasoning-tokens). Marked, so that another provider's data
 * is not taken for it.
 */
export interface KeptReasoning {
  openaiChat: { reasoning_content?: string; reasoning_details?: readonly unknown[] };
}

/** What to keep of a message; undefined when it has none of it, or no tool calls. */
export function keepReasoning(message: Record<string, unknown>, hasCalls: boolean): KeptReasoning | undefined {
  if (!hasCalls) return undefined;
  const { reasoning_content: content, reasoning_details: details } = message;
  const kept: KeptReasoning["openaiChat"] = {};
  // Also an empty one: DeepSeek asks for the field, whatever it holds.
  if (typeof content === "string") kept.reasoning_content = content;
  if (Array.isArray(details) && details.length > 0) kept.reasoning_details = details;
  return Object.keys(kept).length === 0 ? undefined : { openaiChat: kept };
}

/** The fields to send back with a message, if this provider kept some. */
export function keptReasoning(providerData: unknown): Readonly<Record<string, unknown>> {
  const kept = isRecord(providerData) ? providerData["openaiChat"] : undefined;
  return isRecord(kept) ? kept : {};
}

export interface ReasoningAssembler {
  add(delta: Record<string, unknown>): void;
  /** The fields as a message has them that was not streamed. */
  finish(): Readonly<Record<string, unknown>>;
}

/** Puts streamed reasoning together. Of the details only text comes in pieces; encrypted ones and summaries are whole. */
export function createReasoningAssembler(): ReasoningAssembler {
  let content: string | null = null;
  const details: Record<string, unknown>[] = [];

  const addDetail = (detail: Record<string, unknown>): void => {
    const last = details.at(-1);
    const isPiece = last?.["type"] === detail["type"] && detail["type"] === "reasoning.text";
    if (last === undefined || !isPiece || last["index"] !== detail["index"]) return void details.push({ ...detail });
    const text = textOf(last["text"]) + textOf(detail["text"]);
    const told = Object.entries(detail).filter(([, value]) => value !== null && value !== undefined);
    Object.assign(last, Object.fromEntries(told), { text });
  };

  return {
    add(delta) {
      if (typeof delta["reasoning_content"] === "string") content = (content ?? "") + delta["reasoning_content"];
      const pieces: readonly unknown[] = Array.isArray(delta["reasoning_details"]) ? delta["reasoning_details"] : [];
      for (const piece of pieces) if (isRecord(piece)) addDetail(piece);
    },
    finish: () => ({
      ...(content === null ? {} : { reasoning_content: content }),
      ...(details.length === 0 ? {} : { reasoning_details: details }),
    }),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
