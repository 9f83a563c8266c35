import { isList, isRecord, textOf } from "../../values/json.js";
import { preview, renderPath } from "../../values/preview.js";

/** What a server lists, by name or URI. */
export type ListedEntries = ReadonlyMap<string, unknown>;

/** A difference of an entry, as one line. */
export interface ListDrift {
  name: string;
  line: string;
}

/** The entries of a result of a list by name, without what only clients of one connection need; null if there is none. */
export function entriesOf(result: unknown): ListedEntries | null {
  if (!isRecord(result)) return null;
  const list = Object.values(result).find(isList);
  if (list === undefined) return null;
  return new Map(list.filter(isRecord).map(({ _meta, ...entry }) => [nameOf(entry), entry] as const));
}

function nameOf({ name, uri, uriTemplate }: Record<string, unknown>): string {
  return textOf(uri) || textOf(uriTemplate) || textOf(name);
}

/** Entries that were added or removed, and every path at which one differs. */
export function compareLists(before: ListedEntries, after: ListedEntries): readonly ListDrift[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return names.flatMap((name): readonly ListDrift[] => {
    if (!before.has(name)) return [{ name, line: `+ ${name}` }];
    if (!after.has(name)) return [{ name, line: `- ${name}` }];
    return differences(before.get(name), after.get(name), []).map((line) => ({ name, line: `~ ${name}: ${line}` }));
  });
}

type Path = readonly (string | number)[];

function differences(before: unknown, after: unknown, path: Path): readonly string[] {
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => differences(before[key], after[key], [...path, key]));
  }
  if (isList(before) && isList(after)) {
    const longer = before.length > after.length ? before : after;
    return longer.flatMap((_, index) => differences(before[index], after[index], [...path, index]));
  }
  if (before === after) return [];
  if (before === undefined) return [`${renderPath(path)} added: ${preview(after, 80)}`];
  if (after === undefined) return [`${renderPath(path)} removed, was ${preview(before, 80)}`];
  return [`${renderPath(path)}: ${preview(before, 80)} → ${preview(after, 80)}`];
}
