import { failure, success, type Result } from "../result.js";
import type { Message, RequestedToolCall } from "../transcript/message.js";
import { isRecord, textOf } from "../values/json.js";
import { textOfContent, userContentOf } from "./content-parts.js";
import { createMessageList, type MessageList } from "./message-list.js";

type Block = Record<string, unknown>;

/**
 * Messages of Anthropic's API, as `MessageParam` of its SDK has them. The error says what is wrong, going on after the
 * place.
 */
export function readAnthropicMessages(written: readonly unknown[]): Result<readonly Message[], string> {
  const list = createMessageList();
  for (const [index, message] of written.entries()) {
    const problem = isRecord(message) ? addMessage(list, message) : "is no object";
    if (problem !== null) return failure(`messages[${index}] ${problem}`);
  }
  return success(list.messages);
}

function addMessage(list: MessageList, { role, content }: Block): string | null {
  if (role === "system") {
    list.system(textOfContent(content, "\n") ?? "");
    return null;
  }
  if (role !== "user" && role !== "assistant") {
    return `has the role ${JSON.stringify(role)}; expected user or assistant`;
  }
  if (typeof content === "string") {
    if (role === "user") list.user(content);
    else list.assistant(content, []);
    return null;
  }
  if (!Array.isArray(content)) return "has a content that is neither a text nor a list of blocks";
  const blocks: readonly unknown[] = content;
  if (!blocks.every(isRecord)) return "has a content block that is no object";
  return role === "user" ? addUser(list, blocks) : addAssistant(list, blocks);
}

/** Results of tools come as the user's; what stands beside them the user said. */
function addUser(list: MessageList, blocks: readonly Block[]): string | null {
  const said: Block[] = [];
  for (const block of blocks) {
    if (block["type"] !== "tool_result") {
      said.push(block);
      continue;
    }
    const problem = addResult(list, block);
    if (problem !== null) return problem;
  }
  if (said.length > 0) list.user(userContentOf(said) ?? "");
  return null;
}

/** Tools that the server ran have their results in the same message. */
function addAssistant(list: MessageList, blocks: readonly Block[]): string | null {
  const calls: RequestedToolCall[] = [];
  const results: Block[] = [];
  for (const block of blocks) {
    const { type, id, name, input } = block;
    if (type === "tool_use" || type === "server_tool_use" || type === "mcp_tool_use") {
      if (typeof name !== "string") return "has a tool call without a name";
      calls.push({ id: textOf(id), tool: name, args: input ?? {} });
    } else if (textOf(type).endsWith("_tool_result")) results.push(block);
  }
  list.assistant(textOfContent(blocks) ?? "", calls);
  for (const block of results) {
    const problem = addResult(list, block);
    if (problem !== null) return problem;
  }
  return null;
}

function addResult(list: MessageList, { tool_use_id: id, content, is_error: isError }: Block): string | null {
  if (typeof id !== "string") return "has a tool result without tool_use_id";
  const failed = isError === true || (isRecord(content) && textOf(content["type"]).endsWith("_error"));
  const text = textOfContent(content, "\n") ?? JSON.stringify(content);
  return list.result(id, text, failed) ? null : `answers the call ${JSON.stringify(id)}, which nobody made before it`;
}
