import type { LogEntry } from "../api/app-world.js";

/** Characters that nobody sees. JSON writes out only 32 of them. */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * An entry of the log as one line of JSON. Names come from outside: what could end the line, or move, color or reorder
 * what a terminal shows, is written out.
 */
export function renderLogLine(entry: LogEntry, atMs: number): string {
  const line = JSON.stringify({ ...entry, timestamp: new Date(atMs).toISOString() });
  return `${line.replaceAll(hidden, writtenOut)}\n`;
}

const writtenOut = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
