import type { JsonObject } from "../values/json.js";

// What a JSON Schema says of keys that need one another or cannot be combined, in such a way that a mistake is one error at the key
// that is wrong. Loading a config reports the same in other words.

const branches = ["if", "then", "else"];

/** If a value fulfills the condition it must also fulfill `rule`, or else `otherwise`. */
export function when(condition: JsonObject, rule: JsonObject, otherwise?: JsonObject): JsonObject {
  const parts = [condition, rule, otherwise];
  return Object.fromEntries(
    parts.flatMap((part, index) => (part === undefined ? [] : [[branches[index] ?? "", part]])),
  );
}

/** These keys must be there. Strict validators want every required key among the properties. */
export function requireKeys(...keys: readonly string[]): JsonObject {
  return { properties: Object.fromEntries(keys.map((key) => [key, true])), required: [...keys] };
}

/** If `condition` holds, one of the keys must be there; the first is the one that is missed. */
export function needsOneOf(condition: JsonObject, first: string, ...others: readonly string[]): JsonObject {
  return when({ ...condition, ...lacksAll(first, ...others) }, requireKeys(first));
}

/** None of the keys is there. */
export function lacksAll(...keys: readonly string[]): JsonObject {
  return { not: { anyOf: keys.map((key) => ({ type: "object", ...requireKeys(key) })) } };
}

/** With each of these keys, those that it names must not be there. */
export function excludes(keys: Readonly<Record<string, readonly string[]>>): JsonObject {
  return Object.fromEntries(
    Object.entries(keys).map(([key, others]) => [
      key,
      { properties: Object.fromEntries(others.map((other) => [other, false])) },
    ]),
  );
}
