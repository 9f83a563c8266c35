import { failure, success, type Result } from "../../result.js";
import type { TextRange } from "../source/source-text.js";
import { isJsonLimit, parseJson } from "../../values/parse-json.js";

/** Why the text of a dataset is not valid, and where. */
export interface RowsProblem {
  message: string;
  hint?: string | undefined;
  range: TextRange;
}

/** What a dataset holds, row by row; nothing is known of their form yet. `rangeOf` says where a row is written. */
export interface ParsedRows {
  rows: readonly unknown[];
  rangeOf(index: number): TextRange;
}

/** The loader limits the file; a single row has no more room than any other value. */
const wholeFile = { around: 1, chars: Number.POSITIVE_INFINITY };

function problemText(reason: string): string {
  return isJsonLimit(reason) ? `A row is ${reason}` : `Invalid JSON: ${reason}`;
}

const start: TextRange = { start: 0, end: 0 };

/** Reads one JSON value per line; empty lines count for nothing. */
export function parseJsonLines(text: string): Result<ParsedRows, RowsProblem> {
  const rows: unknown[] = [];
  const starts: number[] = [];
  let offset = 0;
  for (const line of text.split("\n")) {
    if (line.trim() !== "") {
      const parsed = parseJson(line);
      if (!parsed.success) {
        return failure({
          message: problemText(parsed.error),
          range: { start: offset, end: offset + line.length },
        });
      }
      rows.push(parsed.data);
      starts.push(offset);
    }
    offset += line.length + 1;
  }
  return success({
    rows,
    rangeOf: (index) => ({ start: starts[index] ?? 0, end: (starts[index] ?? 0) + 1_000 }),
  });
}

export function parseJsonRows(text: string): Result<ParsedRows, RowsProblem> {
  const parsed = parseJson(text, wholeFile);
  if (!parsed.success) {
    const at = Number(/position (\d+)/.exec(parsed.error)?.[1] ?? 0);
    return failure({ message: problemText(parsed.error), range: { start: at, end: at + 1 } });
  }
  if (!Array.isArray(parsed.data)) {
    return failure({ message: "A dataset must be a list of objects", range: start });
  }
  return success({ rows: parsed.data, rangeOf: () => start });
}
