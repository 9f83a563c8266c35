import { failure, success, type Result } from "../result.js";
import { userText, type AssistantMessage, type Message } from "../transcript/message.js";
import type { Trial, TrialToolCall } from "../transcript/trial.js";
import { canonicalJson } from "../values/canonical-json.js";
import { isRecord } from "../values/json.js";

/** A config with one test, as YAML has it. */
export type WrittenConfig = Readonly<Record<string, unknown>>;

/**
 * The test that repeats a recorded conversation without its model and its tools: a script answers as the model did, and
 * simulated tools return what the tools did. The failure says why no script can.
 */
export function regressionTestOf(
  { messages = [], turns = 0, toolCalls = [] }: Trial,
  { suite, test }: { suite: string; test: string },
): Result<WrittenConfig, string> {
  const start = startOf(messages, turns);
  const own = messages.slice(start);
  const answers = own.filter((message) => message.role === "assistant");
  const early = own.findIndex((message, index) => isFinal(message) && !mayEnd(own.slice(index + 1)));
  if (early !== -1) return failure("several agents answered in it, one after the other, and a script is one model");
  const tools = toolsOf(toolCalls);
  return success({
    version: 1,
    models: [{ id: "recorded", provider: "scripted", script: { rules: answers.map(ruleOf) } }],
    suites: [
      {
        name: suite,
        models: ["recorded"],
        ...(tools.length === 0 ? {} : { tools }),
        tests: [{ name: test, ...askedIn(messages.slice(0, start), own), assert: assertionsOf(toolCalls) }],
      },
    ],
  });
}

/** Where the trial begins: with the users' words before the first answer that is not history. */
function startOf(messages: readonly Message[], turns: number): number {
  const answers = messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  let start = answers.at(-Math.max(1, turns)) ?? 0;
  while (start > 0 && messages[start - 1]?.role === "user") start -= 1;
  return start;
}

function isFinal(message: Message): boolean {
  return message.role === "assistant" && message.toolCalls.length === 0;
}

/** After an answer without calls, only a user can go on. */
function mayEnd([next]: readonly Message[]): boolean {
  return next === undefined || (next.role === "user" && next.isNudge !== true);
}

function ruleOf({ text, toolCalls }: AssistantMessage, index: number): WrittenConfig {
  const calls = toolCalls.map(({ tool, args, malformed }) => ({
    tool,
    ...(malformed === undefined ? { args: verbatim(args ?? {}) } : { raw_args: malformed.raw }),
  }));
  const said = text === "" && calls.length > 0 ? {} : { text: verbatim(text) };
  return { when: { turn: index + 1 }, reply: { ...said, ...(calls.length === 0 ? {} : { tool_calls: calls }) } };
}

function askedIn(history: readonly Message[], own: readonly Message[]): WrittenConfig {
  const users = own.flatMap((message) => (message.role === "user" ? [verbatim(userText(message))] : []));
  const before = history.flatMap((message) => {
    if (message.role === "user") return [{ role: "user", content: verbatim(userText(message)) }];
    return message.role === "assistant" && message.text !== ""
      ? [{ role: "assistant", content: verbatim(message.text) }]
      : [];
  });
  const [first = "", ...more] = users;
  if (more.length > 0) return { conversation: users.map((user) => ({ user })) };
  return before.length === 0 ? { input: first } : { messages: [...before, { role: "user", content: first }] };
}

/** For each tool, what it answered to each of its arguments, in the order in which it did. */
function toolsOf(calls: readonly TrialToolCall[]): readonly WrittenConfig[] {
  const tools = new Map<string, Map<string, { args: unknown; answers: WrittenConfig[] }>>();
  for (const call of calls) {
    const responses = tools.get(call.tool) ?? new Map<string, { args: unknown; answers: WrittenConfig[] }>();
    tools.set(call.tool, responses);
    const key = canonicalJson(call.args);
    const response = responses.get(key) ?? { args: call.args, answers: [] };
    responses.set(key, response);
    response.answers.push(answerOf(call));
  }
  return [...tools].map(([name, responses]) => ({
    name,
    parameters: { type: "object" },
    responses: [...responses.values()].map(({ args, answers }) => {
      const [only = {}, ...more] = answers;
      return { when: whenOf(args), ...(more.length === 0 ? only : { sequence: answers }) };
    }),
  }));
}

/** The arguments as they were, and no others. */
function whenOf(args: unknown): unknown {
  return { $exact: { $literal: verbatim(args) } };
}

function answerOf({ result, error }: TrialToolCall): WrittenConfig {
  if (error === undefined || error === null) return { return: verbatim(result ?? null) };
  const { errorType, message, retryable } = error;
  return { error: { type: errorType, message: verbatim(message), retryable } };
}

function assertionsOf(calls: readonly TrialToolCall[]): readonly WrittenConfig[] {
  if (calls.length === 0) return [{ type: "max_tool_calls", max: 0 }];
  const made = calls.map(({ tool, args }) => ({ tool, args: { $literal: verbatim(args) } }));
  return [{ type: "tool_calls", mode: "in_order", calls: made }];
}

/** Braces of what was said are not placeholders. */
function verbatim(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("{{", "\\{{");
  if (Array.isArray(value)) return value.map(verbatim);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, verbatim(item)]));
}
