import type { TextRange } from "./source-text.js";

/** Levels of nesting that a config may have. */
export const deepest = 200;

/** A value of a YAML file with its place, which ends with its first line at the latest, since no more is ever marked. */
export interface Written extends TextRange {
  value: unknown;
  /** What a list or mapping holds, and so what an alias for one does. */
  parts: WrittenList | WrittenMapping | null;
}

export interface WrittenList {
  items: readonly Written[];
}

export interface WrittenMapping {
  entries: readonly WrittenEntry[];
  /** The mappings that `<<` names, in their order. */
  merged: readonly WrittenMapping[];
}

/** Most mappings merge no other. */
export const noneMerged: readonly WrittenMapping[] = [];

/** Its place is that of the key. */
export interface WrittenEntry extends TextRange {
  name: string;
  item: Written;
}

/**
 * The place of the value at `path`, or of its key when `atKey`. Where the path leads out of the document, that of the
 * last mapping or list on the way.
 */
export function locate(document: Written, path: Path, atKey = false): TextRange {
  let written = document;
  let range: TextRange = document;
  // Looked for thousands of times in a large config, before any of this is optimized.
  const last = path.length - 1;
  let index = -1;
  for (const step of path) {
    index += 1;
    const { parts } = written;
    let next: Written | undefined;
    if (parts === null) return range;
    if ("items" in parts) {
      next = typeof step === "number" ? parts.items[step] : undefined;
    } else {
      const entry = findEntry(parts, String(step));
      if (entry === undefined || (atKey && index === last)) return entry ?? range;
      // Where the value is empty, its key stands for it.
      range = entry;
      next = entry.item;
    }
    if (next === undefined) return range;
    written = next;
    if (next.parts !== null || next.start < next.end) range = next;
  }
  return range;
}

function findEntry({ entries, merged }: WrittenMapping, name: string): WrittenEntry | undefined {
  for (const entry of entries) if (entry.name === name) return entry;
  for (const mapping of merged) {
    const found = findEntry(mapping, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

export type Path = readonly (string | number)[];
