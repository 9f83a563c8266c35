import { readToolArguments } from "../providers/tool-arguments.js";
import { failure, success, type Result } from "../result.js";
import type { Message } from "../transcript/message.js";
import { isRecord, textOf } from "../values/json.js";
import { textOfContent, userContentOf } from "./content-parts.js";
import { createMessageList, type MessageList } from "./message-list.js";

type Item = Record<string, unknown>;

/**
 * Items of OpenAI's Responses API, as `ResponseInputItem` and `ResponseOutputItem` of its SDK have them. What the model
 * gives between two inputs is one answer.
 */
export function readResponseItems(written: readonly unknown[]): Result<readonly Message[], string> {
  const list = createMessageList();
  for (const [index, item] of written.entries()) {
    const problem = isRecord(item) ? addItem(list, item) : "is no object";
    if (problem !== null) return failure(`item ${index + 1} ${problem}`);
  }
  return success(list.messages);
}

function addItem(list: MessageList, item: Item): string | null {
  const type = item["type"] ?? "message";
  if (typeof type !== "string") return "has a type that is no text";
  if (type === "message") return addMessage(list, item);
  if (type.endsWith("_call_output")) return addOutput(list, item, item["output"]);
  if (type.endsWith("_call")) return addCall(list, type, item);
  // Reasoning, references and the like say nothing that was said or done.
  return null;
}

function addMessage(list: MessageList, { role, content }: Item): string | null {
  if (role === "assistant") {
    list.moreOfAssistant(textOfContent(content) || refusalOf(content), []);
    return null;
  }
  if (role === "system" || role === "developer") {
    list.system(textOfContent(content, "\n") ?? "");
    return null;
  }
  if (role !== "user") return `has the role ${JSON.stringify(role)}; expected system, developer, user or assistant`;
  const said = userContentOf(content);
  if (said === null) return "has a content that is neither a text nor a list of parts";
  list.user(said);
  return null;
}

/** A call of a function has a name; what OpenAI runs itself is named by its type, such as web_search. */
function addCall(list: MessageList, type: string, item: Item): string | null {
  const { call_id: callId, id, name, arguments: written, input, action, output } = item;
  if (type === "function_call" && typeof name !== "string") return "is a call without a name";
  const own = textOf(callId) || textOf(id);
  const tool = typeof name === "string" ? name : type.slice(0, -"_call".length);
  const args = input === undefined ? readToolArguments(written ?? action) : { args: input };
  list.moreOfAssistant("", [{ id: own, tool, ...args }]);
  return typeof output === "string" ? addOutput(list, { call_id: own }, output) : null;
}

function addOutput(list: MessageList, { call_id: id }: Item, output: unknown): string | null {
  if (typeof id !== "string") return "has no call_id";
  const text = textOfContent(output, "\n") ?? JSON.stringify(output);
  return list.result(id, text, false) ? null : `answers the call ${JSON.stringify(id)}, which nobody made before it`;
}

function refusalOf(content: unknown): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts.map((part) => (isRecord(part) ? textOf(part["refusal"]) : "")).join("");
}
