import { failure, success, type Result } from "../result.js";
import type { Message } from "../transcript/message.js";
import { isRecord, textOf } from "../values/json.js";
import { createMessageList, type MessageList } from "./message-list.js";
import { unwrapMessage, contradictionIn, type Unwrapped } from "./unwrap-message.js";
import { hostedArguments, hostedParts, needsName } from "../providers/openai-apis/responses/read-ran-call.js";
import { findCalls } from "../transcript/find-calls.js";
import { looksNamed, readCall, type ReadCall } from "./read-call.js";
import { resultText } from "./result-text.js";
import { hiddenCall, unknownKeyIn } from "./unknown-keys.js";
import { wordSet } from "../values/word-set.js";
import { userContentFrom } from "./content-parts.js";
import type { CallReference, Piece } from "./piece.js";
import { readMessage } from "./read-message.js";

/** Items that say nothing that was said or done. */
const silentTypes = wordSet(`
  reasoning compaction mcp_list_tools mcp_approval_response context_compaction
`);

/** What LangChain puts around a message. */
const wrapperKeys: ReadonlySet<string> = new Set(["lc", "type", "id"]);

/** A message that a line has, and where, such as `messages[0]`. */
export interface PlacedMessage {
  value: unknown;
  path: string;
}

/**
 * Reads a conversation, in any provider's format; the system prompt that begins it is left out. Forms are recognized for each
 * message, so that one which is of another form than the rest is read as well. The error says what is wrong and where.
 */
export function readMessages(written: readonly PlacedMessage[]): Result<readonly Message[], string> {
  const list = createMessageList();
  const isItems = written.some(({ value }) => isRecord(value) && isResponsesItem(value));
  const ids = new Set<string>();
  for (const { value, path } of written) {
    const problem = addOne(list, value, isItems, ids);
    if (problem !== null) return failure(`${path}${problem}`);
  }
  return success(list.messages);
}

/** Items of the Responses API have types; what the model gives between two inputs is one answer. */
function isResponsesItem(value: Record<string, unknown>): boolean {
  if (typeof value["type"] === "string") return value["type"] === "message" || unwrapMessage(value) === null;
  const content: readonly unknown[] = Array.isArray(value["content"]) ? value["content"] : [];
  return content.some((part) => isRecord(part) && /^(?:in|out)put_/.test(textOf(part["type"])));
}

function addOne(list: MessageList, value: unknown, isItems: boolean, ids: Set<string>): string | null {
  if (!isRecord(value)) return " is not an object";
  const unwrapped = unwrapMessage(value);
  const problem = unwrapped === null ? addItem(list, value, ids) : addMessage(list, unwrapped, isItems);
  if (typeof value["id"] === "string") ids.add(value["id"]);
  return problem;
}

type Item = Record<string, unknown>;

/**
 * Adds an item of OpenAI's Responses API that is not a message. `ids` are those of the items before it. Returns what is
 * wrong with it, going on after its place.
 */
function addItem(list: MessageList, item: Item, ids: ReadonlySet<string>): string | null {
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

/** Adds a message with a role. Returns what is wrong with it, going on after its place. */
function addMessage(list: MessageList, { message, around, role }: Unwrapped, isItem: boolean): string | null {
  if (role === null) {
    return ` has the role ${JSON.stringify(message["role"] ?? message["type"])}; expected system, user, assistant or tool`;
  }
  const { type = null } = message;
  if (type !== null && typeof type !== "string") return ".type is not a string";
  const contradicted = contradictionIn(message);
  if (contradicted !== null) return `.lc_kwargs.${contradicted} differs from "${contradicted}" next to it`;
  const unknown = unknownKeyIn(around, wrapperKeys);
  if (unknown !== null) return `${unknown.path} ${unknown.problem}`;
  const read = role === "tool" ? readToolMessage(message) : readMessage(message);
  if ("problem" in read) return `${read.path} ${read.problem}`;
  const { pieces } = read;
  if (role !== "assistant" && pieces.some(({ kind }) => kind === "call")) {
    return ` has a tool call, although its role is ${JSON.stringify(message["role"] ?? message["type"])}`;
  }
  switch (role) {
    case "system":
      list.system(textIn(pieces, "\n"));
      return null;
    case "assistant":
      return addAnswers(list, pieces, isItem, agentOf(message));
    default:
      return addInput(list, pieces, message["isNudge"] === true);
  }
}

/** Frameworks of several agents put the name of one next to its answer. */
function agentOf({ agent, name }: Item): string | undefined {
  return [agent, name].find((one): one is string => typeof one === "string" && one !== "");
}

/** What the model gave between two inputs, each step a separate answer; tools that a server ran have their results in it. */
function addAnswers(list: MessageList, pieces: readonly Piece[], isItem: boolean, agent?: string): string | null {
  const steps: Piece[][] = [[]];
  for (const piece of pieces) {
    if (piece.kind === "step") steps.push([]);
    else steps.at(-1)?.push(piece);
  }
  for (const step of steps.filter((one, index) => one.length > 0 || (index === 0 && steps.length === 1))) {
    const calls = step.flatMap((piece) => (piece.kind === "call" ? [piece.call] : []));
    if (isItem) list.moreOfAssistant(textIn(step, ""), calls);
    else list.assistant(textIn(step, ""), calls, agent);
    const problem = addResults(list, step);
    if (problem !== null) return problem;
  }
  return null;
}

/** Results of tools may come as the user's; the rest of the message is the user's words. */
function addInput(list: MessageList, pieces: readonly Piece[], isNudge: boolean): string | null {
  const problem = addResults(list, pieces);
  if (problem !== null) return problem;
  const said = pieces.filter(({ kind }) => kind !== "result");
  if (said.length > 0 || pieces.length === 0) list.user(userContentFrom(said), isNudge);
  return null;
}

function addResults(list: MessageList, pieces: readonly Piece[]): string | null {
  for (const piece of pieces) {
    if (piece.kind !== "result" || list.result(piece.result)) continue;
    return ` answers the call ${shown(piece.result.of)}, which nobody made before it`;
  }
  return null;
}

/** A message of a tool is its result, or has parts that are results. */
function readToolMessage(message: Record<string, unknown>): ReturnType<typeof readMessage> {
  const { tool: own, ...rest } = message;
  const { tool_call_id: openAi, toolCallId, callId, tool_name: ollama, toolName, name, content } = rest;
  const id = [openAi, toolCallId, callId].map(textOf).find((one) => one !== "") ?? null;
  const tool = [own, ollama, toolName, name].map(textOf).find((one) => one !== "") ?? null;
  const isResult = id !== null || tool !== null;
  const read = readMessage(isResult ? { ...rest, content: undefined, text: undefined } : rest);
  if ("problem" in read || !isResult) return hasResults(read);
  const isError = message["isError"] === true || message["is_error"] === true || message["status"] === "error";
  const result = { of: { id, tool }, content: resultText(content), isError };
  return { pieces: [...read.pieces, { kind: "result", result }] };
}

function hasResults(read: ReturnType<typeof readMessage>): ReturnType<typeof readMessage> {
  if ("problem" in read || read.pieces.some(({ kind }) => kind === "result" || kind === "silent")) return read;
  return { path: "", problem: "has no tool_call_id" };
}

function shown({ id, tool }: CallReference): string {
  return id === null ? `of ${JSON.stringify(tool)}` : JSON.stringify(id);
}

function textIn(pieces: readonly Piece[], separator: string): string {
  return pieces.flatMap((piece) => (piece.kind === "text" ? [piece.text] : [])).join(separator);
}
