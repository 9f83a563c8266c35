import { isRecord, textOf } from "../values/json.js";
import type { ReadPieces } from "./piece.js";
import { namedOutput, resultText } from "./result-text.js";

/** Reads a part that is what a tool answered: Anthropic's, the AI SDK's and LangChain's. */
export function readResultBlock(block: Record<string, unknown>): ReadPieces {
  const { tool_use_id: anthropic, toolCallId, tool_call_id: callId, toolName, name } = block;
  const id = [anthropic, toolCallId, callId].map(textOf).find((one) => one !== "");
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
