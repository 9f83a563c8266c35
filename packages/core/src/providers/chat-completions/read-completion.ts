import { failure, success, type Result } from "../../result.js";
import type { RequestedToolCall } from "../../transcript/message.js";
import { isRecord } from "../../values/json.js";
import { parseToolArguments } from "../parse-tool-arguments.js";
import type { FinishReason, ProviderResponse } from "../provider.js";
import type { WireAnswer } from "../wire-format.js";
import { keepReasoning } from "./kept-reasoning.js";
import { readUsage } from "./read-usage.js";

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  content_filter: "content_filter",
};

/** OpenRouter and DeepSeek say so when the answer broke off on their side: what came is not the model's whole answer. */
const brokenOff = new Set(["error", "insufficient_system_resource"]);

/**
 * Reads a chat completion in the shape that OpenAI gave it and others took over. The error is the reason why it can
 * not be used. `turn` numbers the ids of tool calls that a server sends without any.
 */
export function readCompletion(json: Record<string, unknown>, turn: number): Result<WireAnswer, string> {
  const choice: unknown = Array.isArray(json["choices"]) ? json["choices"][0] : undefined;
  const message = isRecord(choice) ? choice["message"] : undefined;
  if (!isRecord(choice) || !isRecord(message)) return failure("no choice in its body");
  const raw = choice["finish_reason"];
  if (typeof raw === "string" && brokenOff.has(raw)) return failure(`an answer that it broke off (${raw})`);
  const toolCalls = callsOf(message["tool_calls"], turn);
  if (toolCalls === null) return failure("a tool call that has no function name");
  const refusal = typeof message["refusal"] === "string" ? message["refusal"] : "";
  const answer: WireAnswer = {
    text: completionText(message["content"]) || refusal,
    toolCalls,
    finishReason: finishReasonOf(raw, toolCalls.length > 0, refusal !== ""),
    usage: readUsage(json["usage"], "prompt_tokens", "completion_tokens"),
    modelServed: typeof json["model"] === "string" ? json["model"] : null,
  };
  const providerData = keepReasoning(message, toolCalls.length > 0);
  return success(providerData === undefined ? answer : { ...answer, providerData });
}

/** Some servers send the text in parts, as in a request. */
export function completionText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (isRecord(part) && typeof part["text"] === "string" ? part["text"] : "")).join("");
}

function callsOf(value: unknown, turn: number): readonly RequestedToolCall[] | null {
  if (!Array.isArray(value)) return [];
  const calls: RequestedToolCall[] = [];
  for (const [index, call] of value.entries()) {
    const called: unknown = isRecord(call) ? call["function"] : undefined;
    if (!isRecord(call) || !isRecord(called) || typeof called["name"] !== "string") return null;
    const id = typeof call["id"] === "string" && call["id"] !== "" ? call["id"] : `call_${turn}_${index + 1}`;
    calls.push({ id, tool: called["name"], ...argumentsOf(called["arguments"]) });
  }
  return calls;
}

/** OpenAI sends the arguments as text; some servers send them already parsed. */
function argumentsOf(value: unknown): Pick<RequestedToolCall, "args" | "malformed"> {
  if (typeof value === "string") return parseToolArguments(value);
  return { args: value ?? {} };
}

/** Tool calls with `stop` happen with some servers and with a forced tool choice; the calls count. */
function finishReasonOf(value: unknown, hasCalls: boolean, isRefusal: boolean): ProviderResponse["finishReason"] {
  const raw = typeof value === "string" ? value : null;
  if (isRefusal) return { unified: "refusal", raw };
  const unified = raw !== null && Object.hasOwn(finishReasons, raw) ? (finishReasons[raw] ?? "other") : "other";
  if (hasCalls && (unified === "stop" || raw === null)) return { unified: "tool_calls", raw };
  return { unified, raw };
}
