import { hostedArguments, hostedParts, needsName } from "../providers/openai-apis/responses/read-ran-call.js";
import { findCalls } from "../transcript/find-calls.js";
import { textOf } from "../values/json.js";
import type { MessageList } from "./message-list.js";
import { looksNamed, readCall, type ReadCall } from "./read-call.js";
import { resultText } from "./result-text.js";
import { hiddenCall } from "./unknown-keys.js";
import { wordSet } from "../values/word-set.js";

type Item = Record<string, unknown>;

/** Items that say nothing that was said or done. */
const silentTypes = wordSet(`
  reasoning compaction mcp_list_tools mcp_approval_response context_compaction
`);

/**
 * Adds an item of OpenAI's Responses API that is not a message. `ids` are those of the items before it. Returns what is
 * wrong with it, going on after its place.
 */
export function addItem(list: MessageList, item: Item, ids: ReadonlySet<string>): string | null {
  const { type } = item;
  if (typeof type !== "string") return " has neither a role nor a type";
  if (type.endsWith("_call_output") || type === "tool_search_output")
    return addOutput(list, item, item["output"] ?? item["tools"]);
  if (type.endsWith("_call") || type === "mcp_approval_request") return addCall(list, type, item);
  if (type === "item_reference") {
    return ids.has(textOf(item["id"])) ? null : ` refers to the item ${JSON.stringify(item["id"])}, which is not there`;
  }
  if (!silentTypes.has(type))
    return ` has the type ${JSON.stringify(type)}, which is not known and could be a tool call`;
  const [hidden] = type === "mcp_list_tools" ? [] : findCalls(item, { most: 1, isStrict: true });
  return hidden === undefined ? null : `${hidden.path} ${hiddenCall}`;
}

/** A call of a function has a name; what OpenAI runs itself is named by its type, such as web_search. */
function addCall(list: MessageList, type: string, item: Item): string | null {
  const { call_id: callId, id, name, output, approval_request_id: approval } = item;
  if (needsName.test(type) && textOf(name) === "") return " is a call without a name";
  const own = textOf(callId) || textOf(id);
  // The model asked for it when it asked for the approval.
  const asked = { id: textOf(approval), tool: null };
  const isAsked = asked.id !== "" && list.isWaiting(asked);
  if (!isAsked) {
    const read = readCallItem(textOf(name) === "" ? type.slice(0, -"_call".length) : textOf(name), item);
    if ("problem" in read) return ` is a call that ${read.problem}`;
    list.moreOfAssistant("", [{ ...read.call, id: own }]);
  }
  if (typeof output !== "string") return null;
  return addOutput(list, { call_id: isAsked ? asked.id : own }, output);
}

function readCallItem(tool: string, item: Item): ReadCall {
  const named = ["tool", "tool_name", "toolName", "function"].find((key) => item[key] !== undefined);
  if (named !== undefined) return { problem: `is named by its type and by "${named}"` };
  if (item["arguments"] !== undefined || item["input"] !== undefined) return readCall(item, tool);
  const parts = hostedParts(item);
  const another = Object.keys(parts).find((key) => looksNamed(key, parts[key]));
  if (another !== undefined) return { problem: `is named by its type, and perhaps by "${another}"` };
  const [hidden] = findCalls(parts, { most: 1, isStrict: true });
  if (hidden !== undefined) return { problem: `has another in "${hidden.path.slice(1)}"` };
  return { call: { id: "", tool, args: hostedArguments(parts) } };
}

function addOutput(list: MessageList, { call_id: id, type }: Item, output: unknown): string | null {
  if (typeof id !== "string") return type === "tool_search_output" ? null : " has no call_id";
  const told = { of: { id, tool: null }, content: resultText(output), isError: false };
  return list.result(told) ? null : ` answers the call ${JSON.stringify(id)}, which nobody made before it`;
}
