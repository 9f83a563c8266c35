import { hash } from "node:crypto";
import { isRecord } from "../../values/json.js";

const hashLength = 16;
const scratch = Buffer.alloc(64);

/** The first 64 bits of SHA-256 as hexadecimal digits: plenty for the cases of a project. */
export function hashText(text: string): string {
  // A part of a string keeps the whole in memory, and a Buffer for each hash takes three times as long as the hash.
  scratch.write(hash("sha256", text), "latin1");
  return scratch.toString("latin1", 0, hashLength);
}

/**
 * Continues a hash: 64 bits as hexadecimal digits, of two lanes of FNV-1a (one with its prime, one with another odd
 * number), each begun with half of the hash and stirred at the end as MurmurHash3 does it. Not made to withstand an
 * attack, but ten times as fast as `hashText`: a run may have very many rows, and each is hashed once.
 */
export function hashOnwards(begun: string, text: string): string {
  let one = Number.parseInt(begun.slice(0, 8), 16);
  let two = Number.parseInt(begun.slice(8, 16), 16);
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    two = Math.imul(two ^ unit, 0x85ebca6b);
  }
  return digits(stir(one)) + digits(stir(two));
}

function stir(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function digits(bits: number): string {
  return (bits >>> 0).toString(16).padStart(8, "0");
}

/** Equal for values that mean the same, see `identityText`. */
export function hashValue(value: unknown): string {
  return hashText(identityText(value));
}

const mostHashes = 200;

/** As `hashText`, for strings that often repeat a recent one. */
export function createHashMemory(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    let found = known.get(text);
    if (found === undefined) {
      if (known.size >= mostHashes) known.clear();
      known.set(text, (found = hashText(text)));
    }
    return found;
  };
}

/**
 * JSON in which the order of keys does not count. Keys without a value and functions are left out; a matcher is what was
 * written.
 */
export function identityText(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  let text = "";
  if (Array.isArray(value)) {
    for (const item of value) text += `,${identityText(item)}`;
    return `[${text.slice(1)}]`;
  }
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  for (const key of sortedKeys(value)) {
    const item = value[key];
    if (typeof item === "function") {
      if (key === "match") return `{"$matcher":${identityText(value["source"])}}`;
    } else if (item !== undefined) text += `,${quotedKey(key)}:${identityText(item)}`;
  }
  return `{${text.slice(1)}}`;
}

/** The same few keys are quoted very many times. */
const quotedKeys = new Map<string, string>();
const mostKeys = 1_000;

function quotedKey(key: string): string {
  const known = quotedKeys.get(key);
  if (known !== undefined) return known;
  const quoted = JSON.stringify(key);
  if (quotedKeys.size < mostKeys) quotedKeys.set(key, quoted);
  return quoted;
}

/** Rows of a dataset mostly have theirs in one order, which may be the right one. */
function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  let last = "";
  for (const key of keys) {
    if (key < last) return keys.toSorted();
    last = key;
  }
  return keys;
}

/** Remembers the hash of what is made of an object, as long as the object is there. */
export function hashOnce<T extends object>(make: (value: T) => unknown): (value: T) => string {
  const known = new WeakMap<T, string>();
  const hashOf = createHashMemory();
  return (value) => {
    let found = known.get(value);
    if (found === undefined) {
      found = hashOf(identityText(make(value)));
      known.set(value, found);
    }
    return found;
  };
}
