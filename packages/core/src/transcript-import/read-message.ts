import { isList, isRecord, textOf } from "../values/json.js";
import type { RequestedToolCall } from "../transcript/message.js";
import type { Piece, ReadPieces } from "./piece.js";
import { readBlock } from "./read-block.js";
import { readCall, withoutRepeats } from "./read-call.js";
import { readUiToolPart } from "./read-ui-tool-part.js";
import { unknownKeyIn } from "./unknown-keys.js";

type Written = Record<string, unknown>;

/** Where a message has calls outside its content: a list of them, or one. */
const callKeys = [
  "tool_calls",
  "toolCalls",
  "function_call",
  "functionCall",
  "invalid_tool_calls",
  "tool_call_chunks",
] as const;

/** Words for an answer that ended with calls. */
export const endsWithCalls = /^(?:tool[-_]?(?:calls?|use)|function[-_]?calls?)$/i;

/**
 * Reads what a message says, calls and returns, in whatever form that is. What is not known is refused where it could be
 * a call: one that is overlooked would let an assertion pass that forbids it.
 */
export function readMessage(message: Written): ReadPieces {
  const content = readParts(message["content"], ".content");
  if ("problem" in content) return content;
  const parts = readParts(message["parts"], ".parts");
  if ("problem" in parts) return parts;
  const invocations = readInvocations(message["toolInvocations"]);
  if ("problem" in invocations) return invocations;
  const beside = callsBeside(message);
  if ("problem" in beside) return beside;
  const unknown = unknownKeyIn(message);
  if (unknown !== null) return unknown;
  const said = shownPieces(content.pieces, parts.pieces, message);
  const pieces = withCalls(said, [...repeatedIn(content, parts), callsOf(invocations.pieces), ...beside.places]);
  const answered = new Set(pieces.flatMap((piece) => (piece.kind === "result" ? [piece.result.of.id] : [])));
  for (const piece of invocations.pieces) {
    if (piece.kind === "result" && !answered.has(piece.result.of.id)) pieces.push(piece);
  }
  const reason = reasonIn(message);
  if (reason !== null && !pieces.some(({ kind }) => kind === "call")) {
    return { path: "", problem: `ended with "${reason}", but has no tool call that can be read` };
  }
  return { pieces };
}

function readParts(content: unknown, path: string): ReadPieces {
  if (content === undefined || content === null) return { pieces: [] };
  if (typeof content === "string") return { pieces: [{ kind: "text", text: content }] };
  // Gemini takes one part without a list.
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  const pieces: Piece[] = [];
  for (const [index, block] of blocks.entries()) {
    const read = readBlock(block);
    const place = Array.isArray(content) ? `${path}[${index}]` : path;
    if ("problem" in read) return { path: place + read.path, problem: read.problem };
    for (const piece of read.pieces) pieces.push(piece);
  }
  return { pieces };
}

/** The AI SDK has the text of its parts in the content as well. */
function shownPieces(content: readonly Piece[], parts: readonly Piece[], message: Written): readonly Piece[] {
  if (parts.length > 0) return parts;
  const hasText = content.some((piece) => piece.kind === "text" && piece.text !== "");
  const { text, refusal, additional_kwargs: more } = message;
  const other = [text, refusal, isRecord(more) ? more["refusal"] : ""].map(textOf).find((one) => one !== "");
  return hasText || other === undefined ? content : [{ kind: "text", text: other }, ...content];
}

function repeatedIn(content: { pieces: readonly Piece[] }, parts: { pieces: readonly Piece[] }) {
  return parts.pieces.length > 0 ? [callsOf(content.pieces)] : [];
}

function callsOf(pieces: readonly Piece[]): readonly RequestedToolCall[] {
  return pieces.flatMap((piece) => (piece.kind === "call" ? [piece.call] : []));
}

/** The pieces with the calls of all places, each once. */
function withCalls(said: readonly Piece[], places: readonly (readonly RequestedToolCall[])[]): Piece[] {
  const own = callsOf(said);
  const calls = withoutRepeats([own, ...places]);
  let index = 0;
  const pieces = said.map((piece): Piece => {
    const call = piece.kind === "call" ? calls[index++] : undefined;
    return call === undefined ? piece : { kind: "call", call };
  });
  for (const call of calls.slice(own.length)) pieces.push({ kind: "call", call });
  return pieces;
}

function readInvocations(written: unknown): ReadPieces {
  if (written === undefined || written === null) return { pieces: [] };
  if (!isList(written)) return { path: ".toolInvocations", problem: "is not a list" };
  const pieces: Piece[] = [];
  for (const [index, one] of written.entries()) {
    const read = isRecord(one) ? readUiToolPart(one) : { path: "", problem: "is not an object" };
    if ("problem" in read) return { path: `.toolInvocations[${index}]${read.path}`, problem: read.problem };
    for (const piece of read.pieces) pieces.push(piece);
  }
  return { pieces };
}

/** What is read of `additional_kwargs` besides its calls. */
const keptRead: ReadonlySet<string> = new Set(["refusal"]);

type Beside = { places: readonly (readonly RequestedToolCall[])[] } | { path: string; problem: string };

/** LangChain keeps what a provider sent in `additional_kwargs`, and what it made of that in `tool_calls`. */
function callsBeside(message: Written): Beside {
  const places: (readonly RequestedToolCall[])[] = [];
  const { additional_kwargs: more } = message;
  for (const [holder, at] of [[message, ""] as const, [more, ".additional_kwargs"] as const]) {
    if (!isRecord(holder)) continue;
    for (const key of callKeys) {
      const read = readCalls(holder[key]);
      if ("problem" in read) return { path: `${at}.${key}${read.path}`, problem: read.problem };
      places.push(read.calls);
    }
  }
  if (!isRecord(more)) return { places };
  const unknown = unknownKeyIn(withoutCalls(more), keptRead);
  return unknown === null ? { places } : { ...unknown, path: `.additional_kwargs${unknown.path}` };
}

function withoutCalls(holder: Written): Written {
  return Object.fromEntries(Object.entries(holder).filter(([key]) => !callKeys.some((known) => known === key)));
}

function readCalls(written: unknown): { calls: readonly RequestedToolCall[] } | { path: string; problem: string } {
  if (written === undefined || written === null || written === "") return { calls: [] };
  const list: readonly unknown[] = Array.isArray(written) ? written : [written];
  const calls: RequestedToolCall[] = [];
  for (const [index, one] of list.entries()) {
    const read = isRecord(one) ? readCall(one) : { problem: "is not an object" };
    const path = Array.isArray(written) ? `[${index}]` : "";
    if ("problem" in read) return { path, problem: `is a tool call that ${read.problem}` };
    calls.push(read.call);
  }
  return { calls };
}

function reasonIn(message: Written): string | null {
  const { response_metadata: told } = message;
  for (const holder of [message, told]) {
    if (!isRecord(holder)) continue;
    for (const key of ["finish_reason", "finishReason", "stop_reason", "stopReason"]) {
      if (endsWithCalls.test(textOf(holder[key]))) return textOf(holder[key]);
    }
  }
  return null;
}
