import { isRecord } from "../values/json.js";
import { readCall } from "./read-openai-messages.js";

/** The keys of a trial in snake_case, as many recorders write them. */
const ownNames: Readonly<Record<string, string>> = {
  tool_calls: "toolCalls",
  latency_ms: "latencyMs",
  cost_usd: "costUsd",
  finish_reason: "finishReason",
  stopped_by: "stoppedBy",
  user_turns: "userTurns",
};

const callNames: Readonly<Record<string, string>> = { user_turn: "userTurn", duration_ms: "durationMs" };
const errorNames: Readonly<Record<string, string>> = { error_type: "errorType" };

/** Token counts, as OpenAI and Anthropic name them. */
const usageNames: Readonly<Record<string, string>> = {
  input_tokens: "inputTokens",
  output_tokens: "outputTokens",
  prompt_tokens: "inputTokens",
  completion_tokens: "outputTokens",
};

/** A line with its keys as the library has them. */
export function inOwnNames(line: Record<string, unknown>): Record<string, unknown> {
  const own = renamed(line, ownNames);
  const { toolCalls, usage } = own;
  if (Array.isArray(toolCalls)) own["toolCalls"] = toolCalls.map(callInOwnNames);
  if (isRecord(usage)) own["usage"] = renamed(usage, usageNames);
  return own;
}

/** A call may come in the form of chat completions. */
function callInOwnNames(call: unknown): unknown {
  if (!isRecord(call)) return call;
  if (isRecord(call["function"]) && call["tool"] === undefined) {
    const read = readCall(call);
    return read === null
      ? call
      : { tool: read.tool, args: read.malformed === undefined ? read.args : read.malformed.raw };
  }
  const own = renamed(call, callNames);
  if (isRecord(own["error"])) own["error"] = renamed(own["error"], errorNames);
  return own;
}

function renamed(value: Record<string, unknown>, names: Readonly<Record<string, string>>): Record<string, unknown> {
  // Not by assignment, which would make a prototype of a key of that name.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [names[key] ?? key, item]));
}
