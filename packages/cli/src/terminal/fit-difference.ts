import { graphemesOf } from "./graphemes.js";
import { fitWidth, textWidth } from "./text-width.js";

/** Columns before the difference, which say where it is. */
const before = 16;

/** Two strings, each cut to so many columns: what surrounds their first difference stays. */
export function fitDifference(one: string, other: string, columns: number): [one: string, other: string] {
  const at = firstDifference(one, other);
  return [fitAround(one, at, columns), fitAround(other, at, columns)];
}

/** The beginning of the first character that differs. */
function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const starts = [one, other].map((text) => graphemesOf(text.slice(0, at + 50)).containing(at)?.index ?? at);
  return Math.min(...starts);
}

function fitAround(text: string, at: number, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let start = at;
  let width = 0;
  const near = Array.from(graphemesOf(text.slice(Math.max(0, at - 200), at)), ({ segment }) => segment);
  for (const cluster of near.toReversed()) {
    width += textWidth(cluster);
    if (width > Math.min(before, Math.floor(columns / 3))) break;
    start -= cluster.length;
  }
  const rest = text.slice(start, start + 20 * columns);
  return start === 0 ? fitWidth(rest, columns) : `…${fitWidth(rest, columns - 1)}`;
}
