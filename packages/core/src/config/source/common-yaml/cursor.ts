import { lineEndOf } from "../source-text.js";

/** A place in a YAML text that is read from its start to its end. */
export interface Cursor {
  readonly text: string;
  pos: number;
  /** How far the current line is indented; -1 at the end of the text. */
  indent: number;
  /** Where the current line starts. */
  lineStart: number;
}

export const code = {
  lineFeed: 10,
  carriageReturn: 13,
  space: 32,
  doubleQuote: 34,
  hash: 35,
  quote: 39,
  comma: 44,
  dash: 45,
  colon: 58,
  openList: 91,
  backslash: 92,
  closeList: 93,
  openMapping: 123,
  pipe: 124,
  closeMapping: 125,
  greater: 62,
} as const;

/** Whether the line ends at `pos`. */
export function isLineEnd(text: string, pos: number): boolean {
  const char = text.charCodeAt(pos);
  if (char === code.carriageReturn) return text.charCodeAt(pos + 1) === code.lineFeed;
  return char === code.lineFeed || pos >= text.length;
}

/** Whether `pos` is at whitespace, a line end, or the end of the text. */
export function isBlank(text: string, pos: number): boolean {
  return text.charCodeAt(pos) === code.space || isLineEnd(text, pos);
}

export function isDash({ text, pos }: Cursor): boolean {
  return text.charCodeAt(pos) === code.dash && isBlank(text, pos + 1);
}

/** Moves over spaces, and a comment after them, to the end of the line. False where something else follows. */
export function skipRest(cursor: Cursor): boolean {
  const { text } = cursor;
  skipSpaces(cursor);
  const isComment = text.charCodeAt(cursor.pos) === code.hash && text.charCodeAt(cursor.pos - 1) === code.space;
  if (isComment) cursor.pos = lineEndOf(text, cursor.pos);
  return isLineEnd(text, cursor.pos);
}

export function skipSpaces(cursor: Cursor): void {
  while (cursor.text.charCodeAt(cursor.pos) === code.space) cursor.pos += 1;
}

/** From the end of a line to the first character of the next one that holds more than a comment. */
export function nextLine(cursor: Cursor): void {
  const { text } = cursor;
  for (;;) {
    const feed = text.indexOf("\n", cursor.pos);
    if (feed === -1) break;
    startLine(cursor, feed + 1);
    if (text.charCodeAt(cursor.pos) === code.hash) cursor.pos = lineEndOf(text, cursor.pos);
    if (!isLineEnd(text, cursor.pos)) return;
  }
  cursor.pos = text.length;
  cursor.indent = -1;
}

const spaces = / */y;

/** To the first character of a line that is not a space. */
export function startLine(cursor: Cursor, lineStart: number): void {
  cursor.lineStart = lineStart;
  spaces.lastIndex = lineStart;
  spaces.test(cursor.text);
  cursor.pos = spaces.lastIndex;
  cursor.indent = cursor.pos - lineStart;
}
