import { lineEndOf } from "../source-text.js";
import { noneMerged, type Written, type WrittenEntry } from "../written.js";
import { code, isLineEnd, skipSpaces, startLine, type Cursor } from "./cursor.js";
import { readAsKey, readScalar } from "./read-scalar.js";

/** Where a list or mapping in brackets is read. */
interface FlowContext {
  /** The lines of it are indented deeper than this. */
  column: number;
  /** How many more levels there may be. */
  levels: number;
  isOutermost: boolean;
}

/** A list or mapping in brackets, with the cursor at the first one. */
export function readFlow(cursor: Cursor, column: number, levels: number): Written | null {
  return readCollection(cursor, { column, levels, isOutermost: true });
}

function readCollection(cursor: Cursor, context: FlowContext): Written | null {
  if (context.levels <= 0) return null;
  const { text, pos: start, lineStart } = cursor;
  const isList = text.charCodeAt(start) === code.openList;
  const close = isList ? code.closeList : code.closeMapping;
  const items: Written[] = [];
  const entries: WrittenEntry[] = [];
  const mapping: Record<string, unknown> = {};
  const inner = { ...context, levels: context.levels - 1, isOutermost: false };
  cursor.pos += 1;
  for (let isFirst = true; ; isFirst = false) {
    if (!skipToToken(cursor, context)) return null;
    if (!isFirst && text.charCodeAt(cursor.pos) !== close) {
      if (text.charCodeAt(cursor.pos) !== code.comma) return null;
      cursor.pos += 1;
      if (!skipToToken(cursor, context)) return null;
    }
    if (text.charCodeAt(cursor.pos) === close) break;
    const isRead = isList ? readItem(cursor, inner, items) : readEntry(cursor, inner, entries, mapping);
    if (!isRead) return null;
  }
  cursor.pos += 1;
  const end = cursor.lineStart === lineStart ? cursor.pos : lineEndOf(text, start);
  return isList
    ? { value: items.map((item) => item.value), start, end, parts: { items } }
    : { value: mapping, start, end, parts: { entries, merged: noneMerged } };
}

function readItem(cursor: Cursor, context: FlowContext, items: Written[]): boolean {
  const item = readNode(cursor, context);
  if (item !== null) items.push(item);
  return item !== null;
}

function readEntry(
  cursor: Cursor,
  context: FlowContext,
  entries: WrittenEntry[],
  mapping: Record<string, unknown>,
): boolean {
  const scalar = readScalar(cursor, true);
  const name = scalar === null ? null : readAsKey(cursor, scalar, mapping, true);
  if (scalar === null || name === null || !skipToToken(cursor, context)) return false;
  const item = readNode(cursor, context);
  if (item === null) return false;
  mapping[name] = item.value;
  entries.push({ name, start: scalar.start, end: scalar.end, item });
  return true;
}

function readNode(cursor: Cursor, context: FlowContext): Written | null {
  switch (cursor.text.charCodeAt(cursor.pos)) {
    case code.openList:
    case code.openMapping:
      return readCollection(cursor, context);
    default:
      return readScalar(cursor, true);
  }
}

/** Over spaces, comments and line breaks. False at the end of the text, and where a line is not indented enough. */
function skipToToken(cursor: Cursor, { column, isOutermost }: FlowContext): boolean {
  const { text } = cursor;
  const from = cursor.pos;
  skipSpaces(cursor);
  let isNewLine = false;
  for (;;) {
    if (text.charCodeAt(cursor.pos) === code.hash) {
      // The library takes such a comment for text where it follows text.
      if (cursor.pos === from || (isNewLine && cursor.indent === 0)) return false;
      cursor.pos = lineEndOf(text, cursor.pos);
    }
    if (!isLineEnd(text, cursor.pos)) break;
    const feed = text.indexOf("\n", cursor.pos);
    if (feed === -1) return false;
    startLine(cursor, feed + 1);
    isNewLine = true;
  }
  if (!isNewLine || cursor.indent > column) return true;
  const char = text.charCodeAt(cursor.pos);
  return isOutermost && cursor.indent === column && (char === code.closeList || char === code.closeMapping);
}
