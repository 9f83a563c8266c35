import { stripVTControlCharacters } from "node:util";
import { graphemesOf } from "./graphemes.js";
import { stringWidth, wrapAnsi } from "./wide-text.js";

/** Most text: one column each, as is every sign that KindLM draws. A frame of the live region asks for many widths. */
const narrow = /^[ -~·…–—−→━╸─│├└▏✓✗⚠▲▼]*$/;
/** Where a line was broken, behind the style that goes on. */
// eslint-disable-next-line no-control-regex -- styles begin with one
const breakingSpaces = /^((?:\u001b\[[\d;]*m)*) +/;
/** At the end of a line, before or behind the end of its style. */
// eslint-disable-next-line no-control-regex -- styles begin with one
const trailingSpaces = / *((?:\u001b\[[\d;]*m)*) *$/;

/** The number of terminal columns of a string without control characters: emoji and East Asian wide characters take two. */
export function textWidth(text: string): number {
  return narrow.test(text) ? text.length : stringWidth(text);
}

/** The text cut to so many columns, the last of them an ellipsis when something is left out. */
export function fitWidth(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  return columns <= 0 ? "" : `${headOf(text, columns - 1)}…`;
}

/** The ID of a case cut to so many columns. It loses its middle: what stands behind its test, such as row and model, stays. */
export function fitId(id: string, columns: number): string {
  if (textWidth(id) <= columns) return id;
  const at = id.search(/[[@]/);
  const tail = at === -1 ? "" : id.slice(at);
  const room = columns - 1 - textWidth(tail);
  // A row can be as long as it likes; then the end of it is what distinguishes it.
  if (room < 4) return middleCut(id, columns);
  return `${headOf(id, room)}…${tail}`;
}

function middleCut(text: string, columns: number): string {
  const back = Math.max(0, Math.floor((columns - 1) / 2));
  const segments = [...graphemesOf(text)].map(({ segment }) => segment);
  let tail = "";
  while (segments.length > 0 && textWidth(segments.at(-1) + tail) <= back) tail = segments.pop() + tail;
  return `${headOf(text, columns - 1 - textWidth(tail))}…${tail}`;
}

function headOf(text: string, columns: number): string {
  let width = 0;
  let fitting = "";
  for (const { segment } of graphemesOf(text)) {
    width += textWidth(segment);
    if (width > columns) break;
    fitting += segment;
  }
  return fitting;
}

/** The text with its middle left out if it is wider than that; its end, which distinguishes ids, stays. */
export function fitMiddle(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns > 1 && narrow.test(text)) {
    const kept = Math.ceil(((columns - 1) * 2) / 3);
    return `${text.slice(0, columns - 1 - kept)}…${text.slice(-kept)}`;
  }
  const clusters = Array.from(graphemesOf(text), ({ segment }) => segment);
  const take = (from: readonly string[], room: number): string[] => {
    const taken: string[] = [];
    let width = 0;
    for (const cluster of from) {
      width += textWidth(cluster);
      if (width > room) break;
      taken.push(cluster);
    }
    return taken;
  };
  const end = take(clusters.toReversed(), Math.ceil(((columns - 1) * 2) / 3)).toReversed();
  const start = take(clusters, columns - 1 - textWidth(end.join("")));
  return columns <= 0 ? "" : `${start.join("")}…${end.join("")}`;
}

/** How many rows of a terminal a line takes. A wide character that no longer fits begins the next row. */
export function rowsOf(line: string, columns: number): number {
  if (textWidth(line) <= columns) return 1;
  let rows = 1;
  let used = 0;
  for (const { segment } of graphemesOf(stripVTControlCharacters(line))) {
    const width = textWidth(segment);
    used += width;
    if (used <= columns) continue;
    rows += 1;
    used = width;
  }
  return rows;
}

/** The text with spaces behind it, so many columns wide at least. */
export function padWidth(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - textWidth(text)));
}

/** As {@link padWidth}, with the spaces in front of it. */
export function padWidthStart(text: string, columns: number): string {
  return " ".repeat(Math.max(0, columns - textWidth(text))) + text;
}

/** Text behind its head, in lines of at most `columns` columns, each further one as far to the right as the first. */
export function hangWidth(head: string, text: string, columns: number): string[] {
  const indent = textWidth(head);
  const lines = wrapWidth(text, columns - indent);
  return lines.map((line, index) => (index === 0 ? head : line === "" ? "" : " ".repeat(indent)) + line);
}

/** As {@link hangWidth}, with `right` at the right margin of the first line. */
export function spreadWidth(head: string, text: string, right: string, columns: number): string[] {
  if (right === "") return hangWidth(head, text, columns);
  const [first = "", ...rest] = hangWidth(head, text, columns - textWidth(right) - 2);
  return [padWidth(first, columns - textWidth(right)) + right, ...rest];
}

/** Lines whose cells begin below one another, `gap` columns apart; trailing blanks are cut. */
export function alignWidth(rows: readonly (readonly string[])[], gap = 2): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, textWidth(cell));
  return rows.map((row) =>
    row
      .map((cell, index) => padWidth(cell, widths[index] ?? 0))
      .join(" ".repeat(gap))
      .trimEnd(),
  );
}

/** Lines of at most `columns` columns, broken at spaces; a word is broken only if it is wider than a line. */
function wrapWidth(text: string, columns: number): string[] {
  return text.split("\n").flatMap((line) => {
    if (isShort(line, columns)) return [line.replace(trailingSpaces, "$1")];
    const [first = "", ...rest] = wrapAnsi(line, Math.max(1, columns), { hard: true, trim: false }).split("\n");
    // A line that is nothing but the space between two words is none.
    const further = rest.filter((more) => stripVTControlCharacters(more).trim() !== "");
    return [first, ...further.map((more) => more.replace(breakingSpaces, "$1"))].map((one) =>
      one.replace(trailingSpaces, "$1"),
    );
  });
}

/** True for most lines that need not be broken. */
function isShort(line: string, columns: number): boolean {
  const plain = line.includes("\u001b") ? stripVTControlCharacters(line) : line;
  return plain.length <= columns && narrow.test(plain);
}
