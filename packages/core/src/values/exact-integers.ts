import { attemptSync } from "../errors/boundary.js";

/** Digits of integers by their JSON Pointer in a value, such as `{"/items/0/id": "9007199254740993"}`. */
export type ExactIntegers = Readonly<Record<string, string>>;

/**
 * Integers that a number cannot hold, by the object or list that they are in. The number in the value is the nearest one, so
 * data stays what JSON.parse makes of it; whoever compares asks {@link memberOf}.
 */
const noted = new WeakMap<object, Map<string, bigint>>();
let isAnyNoted = false;

/** Long enough to be beyond 2^53, and no fraction: those are common where times are written. */
const longInteger = /[[,:\s-]\d{16,}[\s,\]}]/;

/**
 * Notes the integers of a JSON text that the value, which JSON.parse made of it, cannot hold. Returns the value. Part
 * of `parseJson`, through which everything from outside comes.
 */
export function keepExactIntegers<T>(text: string, value: T): T {
  if (!longInteger.test(text) || typeof value !== "object" || value === null) return value;
  const mark = freshMark(text);
  const marked = markInexact(text, mark);
  if (marked === null) return value;
  const parsed = attemptSync<unknown, null>(
    () => JSON.parse(marked),
    () => null,
  );
  if (parsed.success) noteMarked(value, parsed.data, mark);
  return value;
}

/**
 * Puts the mark before every number that cannot be held, and makes it a string; null if there is none. Written as a loop,
 * because a pattern that takes a string with a million escapes overflows the stack.
 */
function markInexact(text: string, mark: string): string | null {
  let marked = "";
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    const start = at;
    if (text[at] === '"') at = endOfString(text, at + 1);
    else if (isOfNumber(text, at)) {
      while (isOfNumber(text, at)) at += 1;
      const written = text.slice(start, at);
      if (!isInexact(written)) continue;
      marked += `${text.slice(copied, start)}"${mark}${written}"`;
      copied = at;
    } else at += 1;
  }
  return copied === 0 ? null : marked + text.slice(copied);
}

/** The place after the quotation mark that ends a string. */
export function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (end !== -1) {
    let escapes = 0;
    while (text[end - 1 - escapes] === "\\" && end - escapes > from) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/** Digits, signs, points and exponents: outside of strings, JSON has an `e` in its literals too, but never digits there. */
function isOfNumber(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 48 && code <= 57) || code === 43 || code === 45 || code === 46 || code === 69 || code === 101;
}

/** The member of an object or list: a bigint if it is an integer that a number cannot hold. */
export function memberOf(container: object, key: string | number): unknown {
  const exact = isAnyNoted ? noted.get(container)?.get(String(key)) : undefined;
  return exact ?? Reflect.get(container, key);
}

/** The noted integers of a value, to be stored next to it; undefined if there are none. */
export function exactIntegersOf(value: unknown): ExactIntegers | undefined {
  if (!isAnyNoted) return undefined;
  const found: Record<string, string> = {};
  const queue: { value: unknown; pointer: string }[] = [{ value, pointer: "" }];
  for (const { value: next, pointer } of queue) {
    if (typeof next !== "object" || next === null) continue;
    for (const [key, digits] of noted.get(next) ?? []) found[`${pointer}/${escapeStep(key)}`] = String(digits);
    for (const [key, item] of Object.entries(next))
      queue.push({ value: item, pointer: `${pointer}/${escapeStep(key)}` });
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Notes in a value, which may come from a file, the integers that were stored next to it. */
export function withExactIntegers(value: unknown, exact: ExactIntegers | undefined): unknown {
  for (const [pointer, digits] of Object.entries(exact ?? {})) {
    const steps = pointer.split("/").slice(1).map(unescapeStep);
    const key = steps.pop();
    let container = value;
    for (const step of steps)
      container = typeof container === "object" && container !== null ? Reflect.get(container, step) : null;
    if (key === undefined || typeof container !== "object" || container === null) continue;
    if (typeof Reflect.get(container, key) === "number" && /^-?\d+$/.test(digits)) note(container, key, BigInt(digits));
  }
  return value;
}

/** JSON text with every digit. */
export function stringifyExact(value: unknown): string {
  const exact = exactIntegersOf(value);
  const text = JSON.stringify(value);
  if (exact === undefined) return text;
  const mark = freshMark(text);
  const marked = JSON.stringify(value, function replace(this: unknown, key, item: unknown) {
    const member = typeof this === "object" && this !== null && key !== "" ? memberOf(this, key) : item;
    return typeof member === "bigint" ? `${mark}${member}` : item;
  });
  return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}

function note(container: object, key: string, exact: bigint): void {
  isAnyNoted = true;
  const known = noted.get(container);
  if (known === undefined) noted.set(container, new Map([[key, exact]]));
  else known.set(key, exact);
}

/** With so many digits, reading them would take long, and no program means an integer. */
const mostDigits = 1_000;

function isInexact(written: string): boolean {
  if (written.length > mostDigits || !/^-?\d{16,}$/.test(written)) return false;
  const number = Number(written);
  return !Number.isFinite(number) || BigInt(number) !== BigInt(written);
}

/** Both are of one shape; only marked integers differ. */
function noteMarked(value: unknown, marked: unknown, mark: string): void {
  const queue: { value: unknown; marked: unknown }[] = [{ value, marked }];
  for (const pair of queue) {
    const { value: container, marked: other } = pair;
    if (typeof container !== "object" || container === null || typeof other !== "object" || other === null) continue;
    for (const [key, item] of Object.entries(other)) {
      if (typeof item === "string" && item.startsWith(mark)) note(container, key, BigInt(item.slice(mark.length)));
      else if (typeof item === "object") queue.push({ value: Reflect.get(container, key), marked: item });
    }
  }
}

/** A string that does not occur in the other one. */
function freshMark(text: string): string {
  let mark = "integer ";
  while (text.includes(mark)) mark = `integer ${mark}`;
  return mark;
}

function escapeStep(step: string): string {
  return step.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unescapeStep(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
