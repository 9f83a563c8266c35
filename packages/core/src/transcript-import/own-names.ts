import { isRecord } from "../values/json.js";
import { readCall } from "./read-call.js";

/** The keys of a trial in snake_case, as many recorders write them. */
const ownNames: Readonly<Record<string, string>> = {
  tool_calls: "toolCalls",
  latency_ms: "latencyMs",
  cost_usd: "costUsd",
  finish_reason: "finishReason",
  served_by: "servedBy",
  exit_code: "exitCode",
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

/** What is known of a call besides its tool and arguments. */
const aboutCall = [
  "exactIntegers",
  "result",
  "error",
  "turn",
  "userTurn",
  "durationMs",
  "events",
  "stateChanges",
  "fault",
  "ranBy",
  "rejectedTry",
  "fallback",
  "hook",
  "permission",
  "resumed",
] as const;

/** A line with its keys as the library has them. `addProblem` gets what is wrong with its calls. */
export function inOwnNames(
  line: Record<string, unknown>,
  addProblem: (message: string) => void,
): Record<string, unknown> {
  const own = renamed(line, ownNames);
  const { toolCalls, usage } = own;
  if (Array.isArray(toolCalls)) {
    own["toolCalls"] = toolCalls.map((call, index) =>
      callInOwnNames(call, (problem) => addProblem(`toolCalls[${index}] is a tool call that ${problem}`)),
    );
  }
  if (isRecord(usage)) own["usage"] = renamed(usage, usageNames);
  return own;
}

/** A call may come in the form of a provider or a library, with other names for its tool and arguments. */
function callInOwnNames(call: unknown, addProblem: (problem: string) => void): unknown {
  if (!isRecord(call)) return call;
  const own = renamed(call, callNames);
  if (isRecord(own["error"])) own["error"] = renamed(own["error"], errorNames);
  if (typeof own["tool"] === "string" && own["args"] !== undefined) return own;
  const told = Object.fromEntries(
    aboutCall.flatMap((key) => (own[key] === undefined ? [] : [[key, own[key]] as const])),
  );
  const read = readCall(Object.fromEntries(Object.entries(own).filter(([key]) => !Object.hasOwn(told, key))));
  if ("problem" in read) {
    // Without a name, the schema says what is missing.
    if (typeof own["tool"] === "string") addProblem(read.problem);
    return own;
  }
  const { tool, args, malformed } = read.call;
  return { ...told, tool, args: malformed === undefined ? args : malformed.raw };
}

function renamed(value: Record<string, unknown>, names: Readonly<Record<string, string>>): Record<string, unknown> {
  // Not by assignment, which would make a prototype of a key of that name.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [names[key] ?? key, item]));
}
