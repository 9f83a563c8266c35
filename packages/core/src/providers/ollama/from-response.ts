import { failure, success, type Result } from "../../result.js";
import type { RequestedToolCall } from "../../transcript/message.js";
import type { Usage } from "../../transcript/usage.js";
import { isRecord } from "../../values/json.js";
import { parseToolArguments } from "../parse-tool-arguments.js";
import type { ProviderResponse } from "../provider.js";
import type { WireAnswer } from "../wire-format.js";
import type { KeptThinking } from "./kept-thinking.js";

/** Reads a reply of `/api/chat`. The error is the reason why it can not be used. */
export function fromOllamaResponse(json: Record<string, unknown>, turn: number): Result<WireAnswer, string> {
  const message = json["message"];
  if (!isRecord(message)) return failure("no message in its body");
  const toolCalls = callsOf(message["tool_calls"], turn);
  if (toolCalls === null) return failure("a tool call that has no function name");
  const raw = textOf(json["done_reason"]);
  const text = textOf(message["content"]);
  if ((raw === "load" || raw === "unload") && text === "" && toolCalls.length === 0) {
    return failure(`no answer, the model was only ${raw}ed, as happens when no message asks for one`);
  }
  const answer: WireAnswer = {
    text,
    toolCalls,
    finishReason: finishReasonOf(raw, toolCalls.length > 0),
    usage: usageOf(json),
    modelServed: typeof json["model"] === "string" ? json["model"] : null,
  };
  const thinking = textOf(message["thinking"]);
  const providerData: KeptThinking = { ollama: { thinking } };
  return success(thinking === "" ? answer : { ...answer, providerData });
}

/** Servers before 0.12.10 send calls without ids. */
function callsOf(value: unknown, turn: number): readonly RequestedToolCall[] | null {
  if (!Array.isArray(value)) return [];
  const calls: RequestedToolCall[] = [];
  for (const [index, call] of value.entries()) {
    const called: unknown = isRecord(call) ? call["function"] : undefined;
    if (!isRecord(call) || !isRecord(called) || typeof called["name"] !== "string") return null;
    const id = textOf(call["id"]) || `call_${turn}_${index + 1}`;
    const args = called["arguments"];
    calls.push({
      id,
      tool: called["name"],
      ...(typeof args === "string" ? parseToolArguments(args) : { args: args ?? {} }),
    });
  }
  return calls;
}

/** A turn that calls tools ends with `stop` like any other. */
function finishReasonOf(raw: string, hasCalls: boolean): ProviderResponse["finishReason"] {
  if (raw === "length") return { unified: "length", raw };
  if (hasCalls) return { unified: "tool_calls", raw: raw || null };
  return { unified: raw === "stop" ? "stop" : "other", raw: raw || null };
}

/** The server leaves out a count that is zero, such as that of a prompt which it still had in memory. */
function usageOf({ prompt_eval_count: input, eval_count: output }: Record<string, unknown>): Usage | null {
  if (typeof input !== "number" && typeof output !== "number") return null;
  return { inputTokens: countOf(input), outputTokens: countOf(output) };
}

function countOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
