import { hash } from "node:crypto";
import { canonicalJson } from "../../values/canonical-json.js";
import type { JsonValue } from "../../values/json.js";
import type { DatasetRow } from "../resolved-config.js";
import { unicodePattern } from "../../values/unicode-pattern.js";

type Values = Readonly<Record<string, JsonValue>>;

const plainId = unicodePattern(String.raw`^[^\p{Cc}\p{Cf}\u2028\u2029]{1,200}$`);

/** Rows with their keys, and those whose `id` another one has. */
export interface KeyedRows {
  rows: readonly DatasetRow[];
  /** Rows count from 0; `first` has the id too. */
  repeated: readonly { id: string; row: number; first: number }[];
}

/**
 * Gives each row its key: the `id` column where it holds a string or a number, else a hash of the content in which the
 * order of the columns does not count. Rows of equal content get `-2`, `-3` and so on.
 */
export function withKeys(rows: readonly Values[]): KeyedRows {
  const taken = new Set<string>();
  const repeats = new Map<string, number>();
  const rowOfId = new Map<string, number>();
  const repeated: { id: string; row: number; first: number }[] = [];
  const keyed = rows.map((values, row) => {
    const id = idOf(values);
    if (id !== null) {
      const first = rowOfId.get(id);
      if (first === undefined) rowOfId.set(id, row);
      else repeated.push({ id, row, first });
    }
    const base = id ?? hash("sha256", canonicalJson(values)).slice(0, 12);
    let key = base;
    while (taken.has(key)) {
      const count = (repeats.get(base) ?? 1) + 1;
      repeats.set(base, count);
      key = `${base}-${count}`;
    }
    taken.add(key);
    return { key, values };
  });
  return { rows: keyed, repeated };
}

function idOf({ id }: Values): string | null {
  const written = typeof id === "number" || typeof id === "string" ? String(id).trim() : "";
  return plainId().test(written) ? written : null;
}
