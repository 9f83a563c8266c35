import { canonicalJson } from "../values/canonical-json.js";
import { keyOf, type CassetteContent, type Entry } from "./cassette-lines.js";

/**
 * The file of a cassette: the header, the lists of tools, then case by case and trial by trial what was asked and
 * answered. A request stands before the first exchange that made it. The same recordings give the same text, in
 * whatever order they were made, so that a diff shows what is new and nothing else.
 */
export function renderCassette({ header, lists, requests, cases }: CassetteContent): string {
  const lines: string[] = [JSON.stringify(header)];
  for (const [tools, list] of sorted(lists))
    lines.push(`{"tools":${JSON.stringify(tools)},"list":${canonicalJson(list)}}`);
  const written = new Set<string>();
  for (const [, trials] of sorted(cases)) {
    for (const [, entries] of [...trials].toSorted(([a], [b]) => a - b)) {
      for (const entry of entries) {
        const request = requests.get(keyOf(entry));
        if (request !== undefined && !written.has(request.request)) {
          written.add(request.request);
          lines.push(JSON.stringify(request));
        }
        lines.push(JSON.stringify(entry));
      }
    }
  }
  return `${lines.join("\n")}\n`;
}

/** Numbers the recordings of each key within a trial, from 1. */
export function numbered(entries: readonly Entry[]): Entry[] {
  const counts = new Map<string, number>();
  return entries.map((entry) => {
    const n = (counts.get(keyOf(entry)) ?? 0) + 1;
    counts.set(keyOf(entry), n);
    return entry.n === n ? entry : { ...entry, n };
  });
}

/** By code unit, which is the same everywhere. */
function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
