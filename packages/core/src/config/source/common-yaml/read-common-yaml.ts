import { lineEndOf } from "../source-text.js";
import { noneMerged, type Written, type WrittenEntry } from "../written.js";
import { code, isDash, isLineEnd, nextLine, skipRest, skipSpaces, startLine, type Cursor } from "./cursor.js";
import { readFlow } from "./read-flow.js";
import { readAsKey, readScalar } from "./read-scalar.js";

const mostLevels = 100;

/**
 * Reads the YAML that configs are written in many times as fast as the library does: objects, lists and strings on one
 * line or under `|` and `>`. Null for everything else: anchors, aliases, tags, merge keys, tabs, strings over several
 * lines, rare numbers, and all that is wrong, which the library explains. What is not null is what the library gives.
 */
export function readCommonYaml(text: string): Written | null {
  if (/\t|\r(?!\n)/.test(text)) return null;
  const cursor: Cursor = { text, pos: 0, indent: 0, lineStart: 0 };
  if (text.startsWith("---") && isLineEnd(text, 3)) cursor.pos = 3;
  else startLine(cursor, 0);
  if (text.charCodeAt(cursor.pos) === code.hash) cursor.pos = lineEndOf(text, cursor.pos);
  if (isLineEnd(text, cursor.pos)) nextLine(cursor);
  const document = readBlock(cursor, -1, mostLevels);
  return cursor.indent === -1 ? document : null;
}

/** A value that begins at the cursor, with the cursor on the next line behind it. It is indented deeper than `column`. */
function readBlock(cursor: Cursor, column: number, levels: number): Written | null {
  if (levels <= 0) return null;
  const start = cursor.pos - cursor.lineStart;
  if (isDash(cursor)) return readList(cursor, start, levels - 1);
  const scalar = readInline(cursor, column, levels);
  if (scalar === null) return null;
  const isKey = scalar.parts === null && cursor.text.charCodeAt(cursor.pos) === code.colon;
  return isKey ? readMapping(cursor, start, scalar, levels - 1) : endLine(cursor, scalar);
}

/** A scalar, or a list or mapping in brackets; the cursor is at its end. */
function readInline(cursor: Cursor, column: number, levels: number): Written | null {
  switch (cursor.text.charCodeAt(cursor.pos)) {
    case code.openList:
    case code.openMapping:
      return readFlow(cursor, column, levels);
    case code.pipe:
    case code.greater:
      return readBlockScalar(cursor, column);
    default:
      return readScalar(cursor, false);
  }
}

function endLine(cursor: Cursor, written: Written): Written | null {
  if (!skipRest(cursor)) return null;
  nextLine(cursor);
  return written;
}

function readList(cursor: Cursor, column: number, levels: number): Written | null {
  const { text, pos: start } = cursor;
  const items: Written[] = [];
  do {
    cursor.pos += 1;
    const item = readAfterIndicator(cursor, column, levels, false);
    if (item === null) return null;
    items.push(item);
  } while (cursor.indent === column && isDash(cursor));
  if (cursor.indent > column) return null;
  return { value: items.map((item) => item.value), start, end: lineEndOf(text, start), parts: { items } };
}

function readMapping(cursor: Cursor, column: number, first: Written, levels: number): Written | null {
  const { text } = cursor;
  const { start } = first;
  const value: Record<string, unknown> = {};
  const entries: WrittenEntry[] = [];
  for (let scalar: Written | null = first; ; scalar = readScalar(cursor, false)) {
    const name = scalar === null ? null : readAsKey(cursor, scalar, value, false);
    if (scalar === null || name === null) return null;
    const item = readAfterIndicator(cursor, column, levels, true);
    if (item === null) return null;
    value[name] = item.value;
    entries.push({ name, start: scalar.start, end: scalar.end, item });
    if (cursor.indent !== column || isDash(cursor)) break;
  }
  // A line that is indented too far belongs to nothing that ends here.
  if (cursor.indent >= column) return null;
  return { value, start, end: lineEndOf(text, start), parts: { entries, merged: noneMerged } };
}

/** What follows a dash or the colon of a key in a list or mapping at `column`. */
function readAfterIndicator(cursor: Cursor, column: number, levels: number, isInMapping: boolean): Written | null {
  skipSpaces(cursor);
  const { pos: start } = cursor;
  if (!skipRest(cursor)) {
    if (!isInMapping) return readBlock(cursor, column, levels);
    const written = readInline(cursor, column, levels);
    return written === null ? null : endLine(cursor, written);
  }
  nextLine(cursor);
  if (cursor.indent > column) return readBlock(cursor, column, levels);
  // The dashes of a list may be aligned with the first letter of its key.
  const isList = isInMapping && cursor.indent === column && isDash(cursor);
  return isList ? readList(cursor, column, levels - 1) : { value: null, start, end: start, parts: null };
}

/**
 * Text below a `|` or `>` at the cursor, indented deeper than `column`; the cursor ends up on its last line. Null where
 * its header says more than that trailing line breaks are cut, and where blank lines or folded ones are indented further.
 */
function readBlockScalar(cursor: Cursor, column: number): Written | null {
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
