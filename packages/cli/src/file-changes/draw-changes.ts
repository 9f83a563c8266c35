import { plural } from "@kindlm/core/program";
import { shownLine, shownText } from "../terminal/signs.js";
import { fitWidth, hangWidth } from "../terminal/text-width.js";
import type { Colors } from "../terminal/colors.js";
import type { DescribedChange, DescribedWorkspace } from "./describe-changes.js";

export interface ChangesView {
  palette: Colors;
  /** Columns of a line. */
  columns: number;
  indent: string;
  ascii: boolean;
  mask(text: string): string;
  /** The command that shows the rest, if only an excerpt is drawn. */
  more: string | null;
}

/** What is drawn at most: files, lines of all diffs, and lines of the diff of one file. */
const excerpt = { files: 8, lines: 30, linesOfFile: 12 };
const whole = { files: 200, lines: 1_000, linesOfFile: 250 };
/** Columns of a line of a diff: what is longer was not written by hand. */
const longestLine = 400;

/** The changed files of a workspace with their diffs, as lines. */
export function drawChanges({ changes, refused, remarks }: DescribedWorkspace, view: ChangesView): string[] {
  const { palette } = view;
  const most = view.more === null ? whole : excerpt;
  let left = most.lines;
  const files = changes.slice(0, most.files).flatMap((change) => {
    const diff = drawDiff(change.diff, Math.min(left, most.linesOfFile), view);
    left = Math.max(0, left - diff.length);
    return [...drawName(change, view), ...diff];
  });
  const hidden = changes.length - most.files;
  return [
    ...files,
    ...(hidden > 0 ? [leftOut(plural(hidden, "more file"), view)] : []),
    ...refused.flatMap((text) => drawText(palette.yellow(shown(text, view)), view)),
    ...remarks.flatMap((text) => drawText(palette.dim(shown(text, view)), view)),
  ];
}

/** `changed  src/sum.js  +1 −1` */
function drawName({ path, change, size }: DescribedChange, view: ChangesView): string[] {
  const { green, red, yellow, bold, dim } = view.palette;
  const paint = { added: green, changed: yellow, deleted: red }[change];
  return drawText(`${paint(change.padEnd(8))} ${bold(shown(path, view))}  ${dim(size)}`, view);
}

function drawDiff(diff: string | null, most: number, view: ChangesView): string[] {
  if (diff === null) return [];
  const lines = view.mask(diff).replace(/\n$/, "").split("\n");
  const drawn = lines.flatMap((line) => drawLine(line, view));
  const hidden = drawn.length - most;
  if (hidden <= 1) return drawn;
  return [...drawn.slice(0, most), `  ${leftOut(plural(hidden, "more line"), view)}`];
}

/** The sign of a line stays alone on the left if the line is wrapped. */
function drawLine(line: string, { palette, ascii, columns, indent }: ChangesView): string[] {
  const sign = line.slice(0, 1);
  const isCode = sign === "+" || sign === "-" || sign === " ";
  const paint = sign === "+" ? palette.green : sign === "-" ? palette.red : isCode ? plain : palette.dim;
  const text = fitWidth(shownText(isCode ? line.slice(1) : line, ascii).replaceAll("\t", "  "), longestLine);
  return hangWidth(`${indent}  ${isCode ? paint(sign) : ""}`, paint(text), columns);
}

function drawText(text: string, { indent, columns }: ChangesView): string[] {
  return hangWidth(indent, text, columns);
}

function leftOut(what: string, { indent, palette, more }: ChangesView): string {
  return indent + palette.dim(`… ${what}${more === null ? "" : `: ${more}`}`);
}

function shown(text: string, { mask, ascii }: ChangesView): string {
  return shownLine(mask(text), ascii);
}

type Paint = (text: string) => string;
const plain: Paint = (text) => text;
