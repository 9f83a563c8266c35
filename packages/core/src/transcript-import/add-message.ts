import { userContentFrom } from "./content-parts.js";
import { textOf } from "../values/json.js";
import type { MessageList } from "./message-list.js";
import type { CallReference, Piece } from "./piece.js";
import { readMessage } from "./read-message.js";
import { resultText } from "./result-text.js";
import { unknownKeyIn } from "./unknown-keys.js";
import { contradictionIn, type Unwrapped } from "./unwrap-message.js";

/** What LangChain puts around a message. */
const wrapperKeys: ReadonlySet<string> = new Set(["lc", "type", "id"]);

/** Adds a message with a role. Returns what is wrong with it, going on after its place. */
export function addMessage(list: MessageList, { message, around, role }: Unwrapped, isItem: boolean): string | null {
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
      return addAnswers(list, pieces, isItem);
    default:
      return addInput(list, pieces, message["isNudge"] === true);
  }
}

/** What the model gave between two inputs, each step a separate answer; tools that a server ran have their results in it. */
function addAnswers(list: MessageList, pieces: readonly Piece[], isItem: boolean): string | null {
  const steps: Piece[][] = [[]];
  for (const piece of pieces) {
    if (piece.kind === "step") steps.push([]);
    else steps.at(-1)?.push(piece);
  }
  for (const step of steps.filter((one, index) => one.length > 0 || (index === 0 && steps.length === 1))) {
    const calls = step.flatMap((piece) => (piece.kind === "call" ? [piece.call] : []));
    if (isItem) list.moreOfAssistant(textIn(step, ""), calls);
    else list.assistant(textIn(step, ""), calls);
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
