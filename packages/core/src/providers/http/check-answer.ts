import { failure, success, type Result } from "../../result.js";
import { findCalls, type CallSearch } from "../../transcript/find-calls.js";
import { wordSet } from "../../values/word-set.js";
import { believableUsage } from "../believable-usage.js";
import type { ToolDefinition } from "../provider.js";
import { plainName } from "../../values/plain-name.js";
import type { WireAnswer } from "../wire-format.js";

/** What servers quote of what the model has read, or of what they did with it. */
const ignoredKeys = wordSet("tool_output __verbose");

/** What the provider runs itself, and what came of it. */
const ignoredTypes = wordSet(`
  server_tool_use mcp_tool_use mcp_call mcp_approval_request tool_result mcp_tool_result web_search_tool_result
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
 * @param streamed - the tools that the events of a stream named as called; null for a call without a name
 */
export function checkAnswer(
  answer: WireAnswer,
  json: Record<string, unknown>,
  search: CallSearch,
  streamed: Iterable<string | null> = [],
): Result<WireAnswer, string> {
  const { text, toolCalls, finishReason, usage } = answer;
  const { unified, raw } = finishReason;
  const isCalls = unified === "tool_calls" || (text !== "" && raw !== null && endsWithCalls.test(raw));
  if (toolCalls.length === 0 && isCalls) {
    return failure(`the finish reason ${raw ?? "tool_calls"}, but without a tool call that can be read`);
  }
  const read = new Set<string | null>(toolCalls.map(({ tool }) => plainName(tool)));
  const isRead = (tool: string | null): boolean => read.has(tool === null ? null : plainName(tool));
  const unread = findCalls(json, search).find(({ tool }) => !isRead(tool));
  if (unread !== undefined)
    return failure(`what looks like a tool call, at ${unread.path.slice(1)}, and cannot be read`);
  // Pieces of a call have no name, as long as there is one that they belong to.
  if (toolCalls.length > 0) read.add(null);
  for (const tool of streamed) {
    if (!isRead(tool)) return failure(`a stream with a call${tool === null ? "" : ` of ${tool}`} that cannot be read`);
  }
  const believed = believableUsage(usage);
  return success(believed === usage ? answer : Object.assign(answer, { usage: believed }));
}
