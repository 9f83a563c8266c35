import type { Written } from "../written.js";
import { code, isBlank, type Cursor } from "./cursor.js";

/** Characters that begin something else than plain text, or nothing at all. */
const indicators = new Set("-?:,[]{}#&*!|>'\"%@`\ufeff \r\n");

/** A scalar on one line; null for what is none, and for what is left to the library. */
export function readScalar(cursor: Cursor, isInFlow: boolean): Written | null {
  switch (cursor.text.charCodeAt(cursor.pos)) {
    case code.doubleQuote:
      return readDoubleQuoted(cursor);
    case code.quote:
      return readSingleQuoted(cursor);
    default:
      return readPlain(cursor, isInFlow);
  }
}

/** To the last character that is not a space before a comment, the end of a key, or the end of the line. */
const plainText = {
  inBlock: /(?:[^\n\r: #]+|:(?![ \r\n]|$)|#| +(?![ #\r\n]|:(?:[ \r\n]|$)|$))+/y,
  inFlow: /(?:[^\n\r: #,[\]{}]+|:(?![ \r\n,[\]{}]|$)|#| +(?![ #\r\n,[\]{}]|:(?:[ \r\n,[\]{}]|$)|$))+/y,
};

function readPlain(cursor: Cursor, isInFlow: boolean): Written | null {
  const { text, pos: start } = cursor;
  if (!startsPlain(text, start, isInFlow)) return null;
  // An expression runs as machine code from the start, where a loop would be interpreted for most of a load.
  const plain = isInFlow ? plainText.inFlow : plainText.inBlock;
  plain.lastIndex = start;
  plain.test(text);
  const end = plain.lastIndex;
  cursor.pos = end;
  const value = plainValue(text.slice(start, end));
  return value === undefined ? null : { value, start, end, parts: null };
}

/** `-x` is text, but `- x`, `---` and everything else that begins with an indicator may be something else. */
function startsPlain(text: string, start: number, isInFlow: boolean): boolean {
  const first = text[start];
  if (first === undefined) return false;
  if (text.startsWith("---", start) || text.startsWith("...", start)) return false;
  if (first === "-") return !isBlank(text, start + 1) && !(isInFlow && isFlowIndicator(text.charCodeAt(start + 1)));
  return !indicators.has(first);
}

/** Whether a colon before `pos` ends a key. */
function endsKey(text: string, pos: number, isInFlow: boolean): boolean {
  return isBlank(text, pos) || (isInFlow && isFlowIndicator(text.charCodeAt(pos)));
}

function isFlowIndicator(char: number): boolean {
  switch (char) {
    case code.comma:
    case code.openList:
    case code.closeList:
    case code.openMapping:
    case code.closeMapping:
      return true;
    default:
      return false;
  }
}

const constants = new Map<string, boolean | null>([
  ...["~", "null", "Null", "NULL"].map((name) => [name, null] as const),
  ...["true", "True", "TRUE"].map((name) => [name, true] as const),
  ...["false", "False", "FALSE"].map((name) => [name, false] as const),
]);
const exactNumber = /^[-+]?\d{1,15}(?:\.\d{1,9})?$/;
/** All that the core schema takes for a number. */
const anyNumber =
  /^(?:0o[0-7]+|0x[\da-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN|[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?)$/;

/** What plain text stands for in the core schema; undefined for the rarer numbers. */
function plainValue(text: string): string | number | boolean | null | undefined {
  const first = text.charCodeAt(0);
  // Only a digit and what comes before it in ASCII begins a number.
  if (first <= 57) {
    if (exactNumber.test(text)) return Number(text);
    return anyNumber.test(text) ? undefined : text;
  }
  const constant = text.length <= 5 ? constants.get(text) : undefined;
  return constant === undefined ? text : constant;
}

function readSingleQuoted(cursor: Cursor): Written | null {
  const { text, pos: start } = cursor;
  let end = text.indexOf("'", start + 1);
  while (end !== -1 && text.charCodeAt(end + 1) === code.quote) end = text.indexOf("'", end + 2);
  if (end === -1) return null;
  const inner = text.slice(start + 1, end);
  if (inner.includes("\n")) return null;
  cursor.pos = end + 1;
  return { value: inner.replaceAll("''", "'"), start, end: end + 1, parts: null };
}

const escapes = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

function readDoubleQuoted(cursor: Cursor): Written | null {
  const { text, pos: start } = cursor;
  let value = "";
  let from = start + 1;
  let pos = from;
  for (;;) {
    const char = text.charCodeAt(pos);
    if (char === code.doubleQuote) break;
    if (char === code.lineFeed || pos >= text.length) return null;
    pos += 1;
    if (char !== code.backslash) continue;
    const escaped = escapes.get(text[pos] ?? "");
    if (escaped === undefined) return null;
    value += text.slice(from, pos - 1) + escaped;
    pos += 1;
    from = pos;
  }
  cursor.pos = pos + 1;
  return { value: value + text.slice(from, pos), start, end: pos + 1, parts: null };
}

/** Longer keys are an error of YAML's. */
const longestKey = 1_000;

/**
 * The name of the key that `scalar` is, which ends at the cursor; the cursor moves over the colon. Null where no colon follows,
 * and for keys that are left to the library: those that `mapping` already has, and those with a special meaning.
 */
export function readAsKey(
  cursor: Cursor,
  { start, end, value }: Written,
  mapping: Readonly<Record<string, unknown>>,
  isInFlow: boolean,
): string | null {
  const { text, pos } = cursor;
  if (text.charCodeAt(pos) !== code.colon || end - start > longestKey) return null;
  const first = text.charCodeAt(start);
  const isQuoted = first === code.doubleQuote || first === code.quote;
  if (!(isQuoted && isInFlow) && !endsKey(text, pos + 1, isInFlow)) return null;
  const name = isQuoted ? String(value) : text.slice(start, end);
  if (name === "__proto__" || name === "<<" || Object.hasOwn(mapping, name)) return null;
  cursor.pos += 1;
  return name;
}
