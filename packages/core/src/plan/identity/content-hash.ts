import { hash } from "node:crypto";
import { isRecord } from "../../values/json.js";

/** The first 64 bits of SHA-256 as hexadecimal digits: plenty for the cases of a project. */
export function hashText(text: string): string {
  return hash("sha256", text).slice(0, 16);
}

/** Equal for values that mean the same, see `identityText`. */
export function hashValue(value: unknown): string {
  return hashText(identityText(value));
}

/**
 * JSON in which the order of keys does not count. Keys without a value and functions are left out; a matcher is what was
 * written.
 */
export function identityText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(identityText).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  if (typeof value["match"] === "function") return `{"$matcher":${identityText(value["source"])}}`;
  let text = "";
  for (const key of sortedKeys(value)) {
    const item = value[key];
    if (item !== undefined && typeof item !== "function") text += `,${JSON.stringify(key)}:${identityText(item)}`;
  }
  return `{${text.slice(1)}}`;
}

/** Rows of a dataset mostly have theirs in one order, which may be the right one. */
function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  return keys.every((key, index) => index === 0 || (keys[index - 1] ?? "") <= key) ? keys : keys.toSorted();
}

/** Remembers the hash of what is made of an object, as long as the object is there. */
export function hashOnce<T extends object>(make: (value: T) => unknown): (value: T) => string {
  const known = new WeakMap<T, string>();
  return (value) => {
    let found = known.get(value);
    if (found === undefined) {
      found = hashValue(make(value));
      known.set(value, found);
    }
    return found;
  };
}
