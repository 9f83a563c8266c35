import { textOf } from "../values/json.js";
import type { Piece, ReadPieces } from "./piece.js";
import { readCall } from "./read-call.js";
import { resultText } from "./result-text.js";

/**
 * Reads a tool call as the AI SDK keeps it for a screen: one part has the call, and later on its result too. A call that
 * waits for an approval, or was denied, is one that the model asked for.
 *
 * @param named - the name of the tool, where it is in the type of the part
 */
export function readUiToolPart(part: Record<string, unknown>, named?: string): ReadPieces {
  const read = readCall(part, named);
  if ("problem" in read) return { path: "", problem: `is a tool call that ${read.problem}` };
  const { call } = read;
  const of = { id: call.id === "" ? null : call.id, tool: call.tool };
  const pieces: Piece[] = [{ kind: "call", call }];
  const { state, output, result, errorText } = part;
  if (state === "output-error" || state === "output-denied") {
    const content = textOf(errorText) || "The call was denied";
    pieces.push({ kind: "result", result: { of, content, isError: true } });
  } else if (output !== undefined || result !== undefined) {
    pieces.push({ kind: "result", result: { of, content: resultText(output ?? result), isError: false } });
  }
  return { pieces };
}
