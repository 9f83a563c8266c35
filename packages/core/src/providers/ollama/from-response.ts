import { failure, success, type Result } from "../../result.js";
import type { Usage } from "../../transcript/usage.js";
import { isRecord, textOf } from "../../values/json.js";
import { readChatCalls } from "../chat-completions/read-chat-calls.js";
import type { FinishReason } from "../provider.js";
import { toFinishReason } from "../to-finish-reason.js";
import type { WireAnswer } from "../wire-format.js";
import { toPassthrough } from "./passthrough-content.js";

const finishReasons: Readonly<Record<string, FinishReason>> = { stop: "stop", length: "length" };

/** Reads a reply of `/api/chat`. The error is the reason why it cannot be used. */
export function fromOllamaResponse(json: Record<string, unknown>, turn: number): Result<WireAnswer, string> {
  const message = json["message"];
  if (!isRecord(message)) return failure("no message in its body");
  const toolCalls = readChatCalls(message["tool_calls"], turn);
  if (toolCalls === null) return failure("a tool call that has no function name");
  const raw = textOf(json["done_reason"]);
  const text = textOf(message["content"]);
  if ((raw === "load" || raw === "unload") && text === "" && toolCalls.length === 0) {
    return failure(`no answer, the model was only ${raw}ed, as happens when no message asks for one`);
  }
  return success({
    text,
    toolCalls,
    finishReason: toFinishReason(finishReasons, raw, toolCalls.length > 0),
    usage: usageOf(json),
    modelServed: typeof json["model"] === "string" ? json["model"] : null,
    providerData: toPassthrough(message["thinking"]),
  });
}

/** The server leaves out a count that is zero, such as that of a prompt which it still had in memory. */
function usageOf({ prompt_eval_count: input, eval_count: output }: Record<string, unknown>): Usage | null {
  if (typeof input !== "number" && typeof output !== "number") return null;
  return { inputTokens: countOf(input), outputTokens: countOf(output) };
}

function countOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
