import { findCalls, holdsSomething } from "../transcript/find-calls.js";
import { isRecord, textOf } from "../values/json.js";
import type { Piece, ReadPieces } from "./piece.js";
import { readCall } from "./read-call.js";
import { resultText } from "./result-text.js";
import { hiddenCall } from "./unknown-keys.js";
import { wordSet } from "../values/word-set.js";

type Block = Record<string, unknown>;

/** What a block without a type is, by its key: Bedrock's and Gemini's. A dump of Gemini's has null for all the others. */
const readers: Readonly<Record<string, (value: unknown, block: Block) => ReadPieces>> = {
  text: (value, { thought }) =>
    typeof value === "string"
      ? one(thought === true ? { kind: "silent" } : { kind: "text", text: value })
      : wrong("is not a string"),
  citationsContent: (value) => one({ kind: "text", text: citedText(value) }),
  toolUse: (value) => callIn(value),
  functionCall: (value) => callIn(value),
  function_call: (value) => callIn(value),
  executableCode: (value) => callOf("code_execution", value),
  executable_code: (value) => callOf("code_execution", value),
  toolResult: resultIn,
  functionResponse: resultIn,
  function_response: resultIn,
  codeExecutionResult: (value) => resultOf("code_execution", value),
  code_execution_result: (value) => resultOf("code_execution", value),
};

/** Keys that say nothing that was said or done. */
const silentKeys = wordSet(`
  type thought index id cachePoint guardContent reasoningContent image document video audio searchResult
  inlineData inline_data fileData file_data thoughtSignature thought_signature videoMetadata video_metadata
  partMetadata mediaResolution media_resolution
`);

/** Reads a part that says by its keys what it is. */
export function readKeyedBlock(block: Block): ReadPieces {
  const pieces: Piece[] = [];
  for (const [key, value] of Object.entries(block)) {
    if (value === null || value === undefined) continue;
    const reader = Object.hasOwn(readers, key) ? readers[key] : undefined;
    const read = reader === undefined ? other(key, value) : reader(value, block);
    if ("problem" in read) return { path: `.${key}${read.path}`, problem: read.problem };
    pieces.push(...read.pieces);
  }
  return { pieces };
}

function other(key: string, value: unknown): ReadPieces {
  if (silentKeys.has(key)) {
    const [hidden] = findCalls(value, { most: 1, isStrict: true });
    if (hidden !== undefined) return { path: hidden.path, problem: hiddenCall };
    return { pieces: key === "type" ? [] : [{ kind: "silent" }] };
  }
  if (!holdsSomething(value)) return { pieces: [] };
  return wrong("is not known and could be a tool call");
}

function callIn(value: unknown): ReadPieces {
  if (!isRecord(value)) return wrong("is a tool call that is not an object");
  const read = readCall(value);
  return "problem" in read ? wrong(`is a tool call that ${read.problem}`) : one({ kind: "call", call: read.call });
}

/** Calls that the provider ran itself have no name. */
function callOf(tool: string, value: unknown): ReadPieces {
  const id = isRecord(value) ? textOf(value["id"]) : "";
  return one({ kind: "call", call: { id, tool, args: value } });
}

function resultOf(tool: string, value: unknown): ReadPieces {
  const of = { id: (isRecord(value) && textOf(value["id"])) || null, tool };
  return one({ kind: "result", result: { of, content: resultText(value), isError: false } });
}

function resultIn(value: unknown): ReadPieces {
  if (!isRecord(value)) return wrong("is a tool result that is not an object");
  const { toolUseId, id, name, content, response, status } = value;
  const of = { id: textOf(toolUseId) || textOf(id) || null, tool: textOf(name) || null };
  if (of.id === null && of.tool === null) return wrong("is a tool result that names no call");
  const isError = status === "error" || (isRecord(response) && Object.keys(response).join() === "error");
  return one({ kind: "result", result: { of, content: resultText(content ?? response), isError } });
}

function citedText(value: unknown): string {
  const parts: readonly unknown[] = isRecord(value) && Array.isArray(value["content"]) ? value["content"] : [];
  return parts.map((part) => (isRecord(part) ? textOf(part["text"]) : "")).join("");
}

function one(piece: Piece): ReadPieces {
  return { pieces: [piece] };
}

function wrong(problem: string): ReadPieces {
  return { path: "", problem };
}
