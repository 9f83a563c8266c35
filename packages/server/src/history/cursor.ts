import { invalid } from "../api/api-error.js";

/** The most rows of a page. */
export const pageSize = 200;

/** Where the next page begins: two numbers that order the rows. */
export function renderCursor(first: number, second: number): string {
  return `${first}.${second}`;
}

export function parseCursor(text: string): readonly [number, number] {
  const found = /^(\d{1,15})\.(\d{1,15})$/.exec(text);
  if (found === null) throw invalid("after is not the next of a page");
  return [Number(found[1]), Number(found[2])];
}
