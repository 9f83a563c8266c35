import { failure, type Result } from "../../result.js";
import { isRecord } from "../../values/json.js";
import { parseJsonPath } from "../text/parse-answer-json.js";

/** A path into an answer; `*` stands for each key, or each element. */
export type FieldPath = readonly (string | number)[];

/** Reads `status`, `items[2].price`, `items[*].price` or `items.*.price`. */
export function parseFieldPath(text: string): Result<FieldPath, string> {
  const path = parseJsonPath(text.replaceAll("[*]", ".*"));
  if (!path.success) return path;
  return path.data.length === 0 ? failure("A field needs a name\nWrite keys and indices such as items[*].price") : path;
}

/**
 * The value with nothing in it but what the path leads to; undefined when that is nothing. An element of a list that is
 * named by its index becomes a map with that index, so that it is compared with its namesake.
 */
export function selectField(value: unknown, [step, ...rest]: FieldPath): unknown {
  if (step === undefined) return value;
  if (Array.isArray(value)) {
    if (step === "*") return value.map((item: unknown) => selectField(item, rest));
    const index = Number(step);
    return Number.isInteger(index) && index in value ? pick(index, selectField(value[index], rest)) : undefined;
  }
  if (!isRecord(value)) return undefined;
  if (step !== "*") return Object.hasOwn(value, step) ? pick(step, selectField(value[step], rest)) : undefined;
  const picked = Object.entries(value).map(([key, item]) => [key, selectField(item, rest)] as const);
  return new Map(picked.filter(([, item]) => item !== undefined));
}

function pick(key: string | number, value: unknown): unknown {
  return value === undefined ? undefined : new Map([[key, value]]);
}

/** Whether anything is left of a value. */
export function hasContent(value: unknown): boolean {
  if (value instanceof Map) return [...value.values()].some(hasContent);
  return Array.isArray(value) ? value.some(hasContent) : value !== undefined;
}
