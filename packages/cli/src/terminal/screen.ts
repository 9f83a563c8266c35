import { stripVTControlCharacters } from "node:util";

const begin = "\u001b[?2026h";
const end = "\u001b[?2026l";
const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";

/** Lines at the end of a terminal, each of which fits into one row when it is written. */
export interface KeptLines {
  lines: readonly string[];
  /** How many rows the terminal gives them once it has so many columns. */
  rowsAt(columns: number): number;
}

const none: KeptLines = { lines: [], rowsAt: () => 0 };

/**
 * The end of a terminal: lines that stay below whatever else is written, by stdout and stderr alike. The hidden cursor
 * rests on an empty line below them, since terminals do not wrap the cursor's line when they get another width. What is
 * returned is to be written as it is, in one piece.
 */
export class Screen {
  readonly #columns: () => number;
  #kept = none;

  /** `columns`: of the terminal as it is now. */
  constructor(columns: () => number) {
    this.#columns = columns;
  }

  /** Puts `above` where the kept lines were, and `next` below it; null for none. Empty if nothing changes. */
  frame(above: string, next: KeptLines | null): string {
    const before = this.#kept;
    const after = next ?? none;
    this.#kept = after;
    if (above === "" && areEqual(before.lines, after.lines)) return "";
    const isShown = after.lines.length > 0;
    if (before.lines.length === 0 && !isShown) return above;
    const whole = !isShown || endsLine(above) ? above : `${above}\n`;
    const cursor = before.lines.length === 0 ? hideCursor : isShown ? "" : showCursor;
    // Up over the lines in the rows that they take at the present width, and away with everything from there.
    const erased = before.lines.length === 0 ? "" : `\r\u001b[${before.rowsAt(this.#columns())}A\u001b[J`;
    return `${begin}${cursor}${erased}${whole}${after.lines.map((line) => `${line}\n`).join("")}${end}`;
  }

  /** What somebody else writes, with the kept lines below it again. */
  around(text: string): string {
    return text === "" ? "" : this.frame(text, this.#kept);
  }
}

function endsLine(text: string): boolean {
  const shown = stripVTControlCharacters(text);
  return shown === "" || shown.endsWith("\n");
}

function areEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}
