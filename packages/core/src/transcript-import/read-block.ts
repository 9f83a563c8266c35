import { isRecord, textOf } from "../values/json.js";
import type { ReadPieces, Piece } from "./piece.js";
import { namedOutput, resultText } from "./result-text.js";
import { findCalls, holdsSomething } from "../transcript/find-calls.js";
import { imageOf } from "./content-parts.js";
import { looksNamed, nameKeys, readCall } from "./read-call.js";
import { readUiToolPart } from "./read-ui-tool-part.js";
import { hiddenCall } from "./unknown-keys.js";
import { wordSet } from "../values/word-set.js";

/** What a block without a type is, by its key: Bedrock's and Gemini's. A dump of Gemini's has null for all the others. */
const readers: Readonly<Record<string, (value: unknown, block: Block) => ReadPieces>> = {
  text: (value, { thought }) =>
    typeof value === "string"
      ? one(thought === true ? { kind: "silent" } : { kind: "text", text: value })
      : wrong("is not a string"),
  citationsContent: (value) => one({ kind: "text", text: citedText(value) }),
  toolUse: (value) => keyedCallIn(value),
  functionCall: (value) => keyedCallIn(value),
  function_call: (value) => keyedCallIn(value),
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

export type Block = Record<string, unknown>;

const textTypes: ReadonlySet<string> = new Set(["text", "input_text", "output_text", "text-plain"]);

const callTypes = wordSet(`
  tool_use server_tool_use mcp_tool_use tool-call tool_call server_tool_call tool_call_chunk
  server_tool_call_chunk invalid_tool_call function_call
`);

/** Blocks that no one receives and that call nothing. A call inside of one is refused all the same. */
const silentTypes = wordSet(`
  thinking redacted_thinking reasoning reasoning_text summary_text reasoning-file image image_url input_image
  image-plain media file input_file document audio video input_audio output_audio audio_url video_url
  document_url refusal citation reference source source-url source-document search_result container_upload
  compaction tool_reference tool_addition tool_removal mcp_tool_listing fallback non_standard
  tool-approval-request tool-approval-response
`);

/** Reads one part of a content, in whatever form: a part that is not known is refused, since it could be a call. */
export function readBlock(block: unknown): ReadPieces {
  if (typeof block === "string") return { pieces: [{ kind: "text", text: block }] };
  if (!isRecord(block)) return { path: "", problem: "is neither a string nor an object" };
  const { type } = block;
  if (type === undefined || type === null) return readKeyedBlock(block);
  if (typeof type !== "string") return { path: ".type", problem: "is not a string" };
  return readQuietBlock(block, type) ?? readBusyBlock(block, type) ?? readNamedBlock(block, type);
}

/** A block that calls nothing and is not a result; null for anything else. */
function readQuietBlock(block: Block, type: string): ReadPieces | null {
  if (type === "step-start") return quiet(block, { kind: "step" });
  if (textTypes.has(type)) return quiet(block, { kind: "text", text: textOf(block["text"]) });
  if (type === "refusal") return quiet(block, { kind: "text", text: textOf(block["refusal"]) });
  if (!silentTypes.has(type) && !type.startsWith("data-")) return null;
  const image = imageOf(block);
  return quiet(block, image === null ? { kind: "silent" } : { kind: "image", image });
}

/** A call or a result; null for anything else. */
function readBusyBlock(block: Block, type: string): ReadPieces | null {
  if (callTypes.has(type)) return callIn(block);
  // Anthropic names results by the tool, such as web_search_tool_result.
  if (type === "tool-result" || type === "tool-error" || /(?:^|_)tool_result$/.test(type))
    return readResultBlock(block);
  if (type === "tool-invocation" && isRecord(block["toolInvocation"])) return readUiToolPart(block["toolInvocation"]);
  if (type === "dynamic-tool") return readUiToolPart(block);
  const isNamed = nameKeys.some((key) => block[key] !== undefined);
  const isUi = type.startsWith("tool-") && type !== "tool-invocation" && !isNamed;
  return isUi ? readUiToolPart(block, type.slice("tool-".length)) : null;
}

/** LangChain gives Gemini's parts types, which say what the keys say. */
function readNamedBlock(block: Block, type: string): ReadPieces {
  const keyed = readKeyedBlock(block);
  if ("pieces" in keyed && keyed.pieces.length > 0) return keyed;
  return { path: "", problem: `has the type ${JSON.stringify(type)}, which is not known and could be a tool call` };
}

/** AI SDK has a tool of that name in its messages for a screen, `tool-call`, where the name of the tool is in the type. */
function callIn(block: Block): ReadPieces {
  const isNamed = nameKeys.some((key) => block[key] !== undefined);
  if (block["type"] === "tool-call" && !isNamed && block["state"] !== undefined) {
    return readUiToolPart(block, "call");
  }
  const read = readCall(block);
  if ("problem" in read) return { path: "", problem: `is a tool call that ${read.problem}` };
  return { pieces: [{ kind: "call", call: read.call }] };
}

/** Files have names, what is said or thought has none. */
const unnamedKinds: ReadonlySet<string> = new Set(["text", "silent", "step"]);
const fileTypes = wordSet(
  "file input_file document audio video media container_upload source-document image image-plain",
);

/** A part that is not a call must not contain one outside of what is read. */
function quiet(block: Block, piece: Piece): ReadPieces {
  const isFile = fileTypes.has(textOf(block["type"]));
  const named = Object.keys(block).find((key) => looksNamed(key, block[key]));
  if (unnamedKinds.has(piece.kind) && !isFile && named !== undefined) return { path: `.${named}`, problem: hiddenCall };
  const [hidden] = findCalls(block, { most: 1, isStrict: true });
  return hidden === undefined ? { pieces: [piece] } : { path: hidden.path, problem: hiddenCall };
}

/** Reads a part that is what a tool answered: Anthropic's, the AI SDK's and LangChain's. */
function readResultBlock(block: Record<string, unknown>): ReadPieces {
  const { tool_use_id: anthropic, toolCallId, tool_call_id: callId, toolName, name } = block;
  const id = [anthropic, toolCallId, callId].map(textOf).find((text) => text !== "");
  if (id === undefined) return { path: "", problem: `is a tool result without ${idKeyOf(block)}` };
  const { type, content, output, result, error, is_error: isMarked, isError, status } = block;
  const named = namedOutput(output);
  const told = content ?? output ?? result ?? error;
  const saysError = isRecord(told) && textOf(told["type"]).endsWith("_error");
  const failed = [isMarked, isError, status === "error", type === "tool-error", saysError].includes(true);
  const of = { id, tool: textOf(toolName) || textOf(name) || null };
  const said = named ?? { content: resultText(told), isError: failed };
  return { pieces: [{ kind: "result", result: { of, ...said } }] };
}

function idKeyOf({ type }: Record<string, unknown>): string {
  return type === "tool-result" || type === "tool-error" ? "toolCallId" : "tool_use_id";
}

/** Reads a part that says by its keys what it is. */
function readKeyedBlock(block: Block): ReadPieces {
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

function keyedCallIn(value: unknown): ReadPieces {
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
