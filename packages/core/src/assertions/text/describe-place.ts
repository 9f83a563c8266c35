import { preview } from "../../values/preview.js";

const around = 30;

/** Quotes a piece of a string with some of its surroundings. */
export function describePlace(text: string, index: number, length: number): string {
  const start = Math.max(0, index - around);
  const end = Math.min(text.length, index + length + around);
  const piece = `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
  return preview(piece, length + 2 * around + 12);
}
