import { hash } from "node:crypto";
import { canonicalJson } from "../../values/canonical-json.js";
import type { JsonValue } from "../../values/json.js";
import type { DatasetRow } from "../resolved-config.js";
import { unicodePattern } from "../../values/unicode-pattern.js";

type Values = Readonly<Record<string, JsonValue>>;

const plainId = unicodePattern(String.raw`^[^\p{Cc}\p{Cf}\u2028\u2029]{1,200}$`);

/**
 * Gives each row its key: the `id` column where it holds a text or a number, else a hash of the content in which the
 * order of the columns does not count. Repeats get `-2`, `-3` and so on.
 */
export function withKeys(rows: readonly Values[]): DatasetRow[] {
  const taken = new Set<string>();
  const repeats = new Map<string, number>();
  return rows.map((values) => {
    const base = keyOf(values);
    let key = base;
    while (taken.has(key)) {
      const count = (repeats.get(base) ?? 1) + 1;
      repeats.set(base, count);
      key = `${base}-${count}`;
    }
    taken.add(key);
    return { key, values };
  });
}

function keyOf(values: Values): string {
  const { id } = values;
  const written = typeof id === "number" || typeof id === "string" ? String(id).trim() : "";
  return plainId().test(written) ? written : hash("sha256", canonicalJson(values)).slice(0, 12);
}
