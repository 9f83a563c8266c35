import { lineEndOf } from "../source-text.js";
import type { Written } from "../written.js";
import { code, isLineEnd, skipRest, startLine, type Cursor } from "./cursor.js";

/**
 * Text below a `|` or `>` at the cursor, indented deeper than `column`; the cursor ends up on its last line. Null where
 * its header says more than that trailing line breaks are cut, and where blank lines or folded ones are indented further.
 */
export function readBlockScalar(cursor: Cursor, column: number): Written | null {
  const { text, pos: start } = cursor;
  const isFolded = text.charCodeAt(start) === code.greater;
  cursor.pos += 1;
  const isStripped = text.charCodeAt(cursor.pos) === code.dash;
  if (isStripped) cursor.pos += 1;
  if (!skipRest(cursor)) return null;
  const end = lineEndOf(text, start);
  const lines = readLines(cursor, column, isFolded);
  if (lines === null) return null;
  const value = (isFolded ? fold(lines) : lines.join("\n")) + (isStripped ? "" : "\n");
  return { value, start, end, parts: null };
}

/** The lines of the scalar without their indentation and without blank lines at the end. */
function readLines(cursor: Cursor, column: number, isFolded: boolean): readonly string[] | null {
  const { text } = cursor;
  const lines: string[] = [];
  let indent: number | null = null;
  let longestBlank = 0;
  let blank = 0;
  let last = cursor.pos;
  for (let feed = text.indexOf("\n", last); feed !== -1; feed = text.indexOf("\n", cursor.pos)) {
    startLine(cursor, feed + 1);
    if (isLineEnd(text, cursor.pos)) {
      blank += 1;
      longestBlank = Math.max(longestBlank, cursor.indent);
      continue;
    }
    indent ??= cursor.indent;
    if (cursor.indent < indent || indent <= Math.max(column, 0)) break;
    if (isFolded && cursor.indent > indent) return null;
    for (; blank > 0; blank -= 1) lines.push("");
    last = lineEndOf(text, cursor.pos);
    lines.push(text.slice(cursor.lineStart + indent, last));
    cursor.pos = last;
  }
  cursor.pos = last;
  return lines.length === 0 || indent === null || longestBlank > indent ? null : lines;
}

/** Lines become one, blank lines line breaks. */
function fold(lines: readonly string[]): string {
  let value = "";
  let separator = "";
  for (const line of lines) {
    if (line !== "") {
      value += separator + line;
      separator = " ";
    } else if (separator === "\n") value += "\n";
    else separator = "\n";
  }
  return value;
}
