import type { SourcePosition } from "../../errors/source-position.js";

/** A text file as it was read, with what is needed to point into it. */
export interface SourceText {
  /** Absolute. */
  path: string;
  /** As the user would type it. */
  file: string;
  text: string;
  /** In which order the files of a load are reported. */
  order: number;
  /** Set for a config that was written as an object: it has paths and no lines. */
  isObject?: true;
  /** Set for a module that exports a config: what is computed has a path, and the line of the expression alone. */
  isModule?: true;
}

/** Half-open range of UTF-16 code units. */
export interface TextRange {
  start: number;
  end: number;
}

const frameWidth = 120;
const widestColumn = 500;

/** Where the line of `offset` ends, without its line break. */
export function lineEndOf(text: string, offset: number): number {
  const feed = text.indexOf("\n", offset);
  const end = feed === -1 ? text.length : feed;
  return end > 0 && text[end - 1] === "\r" ? end - 1 : end;
}

const lineStartsOf = new WeakMap<SourceText, number[]>();

/** Where each line starts, found once per text. */
function startsOfLines(source: SourceText): readonly number[] {
  let starts = lineStartsOf.get(source);
  if (starts === undefined) {
    starts = [0];
    for (let feed = source.text.indexOf("\n"); feed !== -1; feed = source.text.indexOf("\n", feed + 1)) {
      starts.push(feed + 1);
    }
    lineStartsOf.set(source, starts);
  }
  return starts;
}

/** The number of the line that holds `offset`, from 1. */
export function lineNumberOf(source: SourceText, offset: number): number {
  const starts = startsOfLines(source);
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

/** Where a line starts and ends, without its line break; null if there are not so many. Takes no longer for a long line. */
function boundsOf(source: SourceText, line: number): TextRange | null {
  const starts = startsOfLines(source);
  const start = starts[line - 1];
  if (start === undefined) return null;
  const end = (starts[line] ?? source.text.length + 1) - 1;
  return { start, end: end > start && source.text[end - 1] === "\r" ? end - 1 : end };
}

/** Where a range stands. A range over several lines is marked on its first. */
export function positionOf(source: SourceText, range: TextRange): SourcePosition {
  const start = Math.min(range.start, source.text.length);
  const line = lineNumberOf(source, start);
  const bounds = boundsOf(source, line) ?? { start, end: start };
  const end = Math.min(range.end, Math.max(bounds.end, start));
  const marked = source.text.slice(start, end).trimEnd().length;
  return { file: source.file, line, column: start - bounds.start + 1, length: Math.max(1, marked) };
}

/** The line of the position and the one before it; none when the position is too far right to be shown. */
export function frameOf(source: SourceText, position: SourcePosition): readonly { line: number; text: string }[] {
  if (position.column > widestColumn) return [];
  const width = Math.max(frameWidth, Math.min(position.column + position.length, widestColumn));
  return [position.line - 1, position.line].flatMap((line) => {
    const bounds = boundsOf(source, line);
    if (bounds === null) return [];
    const text = cut(source.text.slice(bounds.start, bounds.end), width);
    return line < position.line && text.trim() === "" ? [] : [{ line, text }];
  });
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}
