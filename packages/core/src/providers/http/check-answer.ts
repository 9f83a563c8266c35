import { failure, success, type Result } from "../../result.js";
import { findCalls, type CallSearch, type FoundCall } from "../../transcript/find-calls.js";
import { canonicalJson } from "../../values/canonical-json.js";
import { isRecord } from "../../values/json.js";
import { wordSet } from "../../values/word-set.js";
import { believableUsage } from "../believable-usage.js";
import type { RanToolCall, ToolDefinition } from "../provider.js";
import { readToolArguments } from "../tool-arguments.js";
import { plainName } from "../../values/plain-name.js";
import type { WireAnswer } from "../wire-format.js";

/** What servers quote of what the model has read, or of what they did with it. */
const ignoredKeys = wordSet("tool_output __verbose");

/** The results of calls that the provider ran itself. */
const ignoredTypes = wordSet(`
  tool_result mcp_tool_result web_search_tool_result
  web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result tool_search_tool_result
  text_editor_code_execution_tool_result advisor_tool_result
`);

/** How calls are found in what came; `tools` are those that the model was offered. */
export function replySearch(tools: readonly ToolDefinition[]): CallSearch {
  return { ignoredKeys, ignoredTypes, names: new Set(tools.map(({ name }) => plainName(name))) };
}

/** Words for an end with calls, whoever says them. */
const endsWithCalls = /tool[-_]?(?:call|use)|function[-_]?call/i;

/**
 * The answer that an adapter read, if it can be believed. The error completes `OpenAI returned 200 with …`: an answer that
 * ended with calls has some, and none of the calls in the reply was overlooked. Usage that cannot be is unknown.
 *
 * @param streamed - what looked like a call in the events of a stream
 */
export function checkAnswer(
  answer: WireAnswer,
  json: Record<string, unknown>,
  search: CallSearch,
  streamed: readonly FoundCall[] = [],
): Result<WireAnswer, string> {
  const { text, toolCalls, ranCalls = [], finishReason, usage } = answer;
  const { unified, raw } = finishReason;
  const isCalls = unified === "tool_calls" || (text !== "" && raw !== null && endsWithCalls.test(raw));
  if (toolCalls.length === 0 && isCalls) {
    return failure(`the finish reason ${raw ?? "tool_calls"}, but without a tool call that can be read`);
  }
  const read = [...toolCalls, ...ranCalls].map((call) => ({ ...call, tool: plainName(call.tool) }));
  const unread = [...findCalls(json, search), ...streamed].find((found) => !read.some((call) => isSame(found, call)));
  if (unread !== undefined) {
    const what = unread.tool === null ? "tool call" : `call of ${unread.tool}`;
    return failure(`what looks like a ${what}, at ${unread.path.slice(1) || "its top"}, and cannot be read`);
  }
  const believed = believableUsage(usage);
  return success(believed === usage ? answer : Object.assign(answer, { usage: believed }));
}

/** Of a call that streams, the arguments may be elsewhere, or there is a piece of them. */
function isSame({ tool, args }: FoundCall, call: RanToolCall): boolean {
  if (tool === null || plainName(tool) !== call.tool) return false;
  const given = readToolArguments(args).args;
  const isWhole = isRecord(given) && Object.keys(given).length > 0;
  return !isWhole || canonicalJson(given) === canonicalJson(call.args ?? null);
}
