import { isRecord, type JsonObject, type JsonValue } from "../values/json.js";
import { below } from "./record.js";
import { text } from "./scalars.js";
import type { AnyShape, ErrorMap, Flaw, Shape, Static, View } from "./shape.js";

const inside = (shape: AnyShape) => [{ key: "", shape, volatility: null }];

/** With what the published schema says of it. */
export function described<F extends AnyShape>(description: string, shape: F): F {
  return { ...shape, schema: () => ({ description, ...shape.schema() }) };
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return {
    schema: () => ({ anyOf: [shape.schema(), { type: "null" }] }),
    check: (stored) => (stored === null ? null : shape.check(stored)),
    report: (value, view) => (value === null ? null : shape.report(value, view)),
    print: () => ["or null", shape.print()],
    errorsIn() {
      const map = shape.errorsIn();
      return map === null ? null : (value, change) => (value === null ? null : map(value, change));
    },
    parts: () => inside(shape),
  };
}

export function list<T>(shape: Shape<T>): Shape<readonly T[]> {
  return {
    schema: () => ({ type: "array", items: shape.schema() }),
    check(stored) {
      if (!Array.isArray(stored)) return { path: "", problem: "must be a list" };
      for (let index = 0; index < stored.length; index += 1) {
        const flaw = shape.check(stored[index]);
        if (flaw !== null) return below(`[${index}]`, flaw);
      }
      return null;
    },
    report: (values, view) => values.map((value) => shape.report(value, view)),
    print: () => ["list", shape.print()],
    errorsIn() {
      const map = shape.errorsIn();
      return map === null ? null : (values, change) => mapMembers(values, map, change);
    },
    parts: () => inside(shape),
  };
}

/** The list itself if none of its members changed: nearly all hold no error, and each trial has several lists. */
function mapMembers(values: unknown, map: ErrorMap, change: (error: object) => object): unknown {
  if (!Array.isArray(values)) return values;
  const members: readonly unknown[] = values;
  let changed: unknown[] | null = null;
  for (let index = 0; index < members.length; index += 1) {
    const after = map(members[index], change);
    if (after !== members[index]) (changed ??= [...members])[index] = after;
  }
  return changed ?? members;
}

/** Two of the same, such as an interval. */
export function pair<T>(shape: Shape<T>): Shape<readonly [T, T]> {
  const many = list(shape);
  return {
    schema: () => ({ ...many.schema(), minItems: 2, maxItems: 2 }),
    check(stored) {
      const flaw = many.check(stored);
      if (flaw !== null || (Array.isArray(stored) && stored.length === 2)) return flaw;
      return { path: "", problem: "must have two members" };
    },
    report: ([first, second], view) => [shape.report(first, view), shape.report(second, view)],
    print: () => ["pair", shape.print()],
    errorsIn: () => null,
    parts: () => inside(shape),
  };
}

/** How the keys of a map are reported. */
interface MapKeys {
  /** They come from outside. */
  isText?: boolean;
  /** They are counted in the order in which they came up, which depends on who was first; a report must not. */
  isSorted?: boolean;
  /** What the published schema says of the keys. */
  schema?: JsonObject;
}

/** Values of one shape by keys that nobody knows in advance. */
export function mapOf<T>(shape: Shape<T>, keys: MapKeys = {}): Shape<Readonly<Record<string, T>>> {
  return {
    schema: () => keys.schema ?? { type: "object", additionalProperties: shape.schema() },
    check(stored) {
      if (!isRecord(stored)) return { path: "", problem: "must be an object" };
      for (const [key, value] of Object.entries(stored)) {
        const flaw = shape.check(value);
        if (flaw !== null) return below(key, flaw);
      }
      return null;
    },
    report(values, view) {
      const entries = Object.entries(values);
      // Defines properties, so that a key named __proto__ stays data.
      return Object.fromEntries(
        (keys.isSorted === true ? entries.toSorted(([a], [b]) => (a < b ? -1 : 1)) : entries).map(([key, value]) => [
          keys.isText === true ? view.text(key) : key,
          shape.report(value, view),
        ]),
      );
    },
    print: () => ["map", shape.print()],
    errorsIn: () => null,
    parts: () => inside(shape),
  };
}

/** A shape that is in itself, or in a circle. It has a name in the print. */
export function lazy<T>(name: string, shape: () => Shape<T>): Shape<T> {
  return {
    schema: () => ({ $ref: `#/definitions/${name}` }),
    check: (stored) => shape().check(stored),
    report: (value, view) => shape().report(value, view),
    print: () => ["again", name],
    errorsIn: () => (value, change) => shape().errorsIn()?.(value, change) ?? value,
    parts: () => [],
  };
}

/** A shape that stands among the definitions of the published schema. */
export function named<T, R extends JsonValue>(name: string, shape: Shape<T, R>): Shape<T, R> {
  return { ...shape, schema: () => ({ $ref: `#/definitions/${name}` }) };
}

/** What agents and tools said, in a record of what KindLM says. */
export function said<T>(shape: Shape<T>): Shape<T> {
  return { ...shape, report: (value, view) => shape.report(value, view.said ?? view) };
}

/** One of several records. The value chose it, so it takes what it is given. */
interface Variant extends AnyShape<JsonObject> {
  report(value: unknown, view: View): JsonObject;
}

/** One of several records, chosen by the value of one key; `otherwise` is for values that are none of the keys. */
export function union<V extends Readonly<Record<string, AnyShape<JsonObject>>>, O = never>(
  key: string,
  variants: V,
  otherwise?: Shape<O, JsonObject>,
): Shape<Static<V[keyof V]> | O, JsonObject> {
  const byValue = new Map<unknown, Variant>(Object.entries(variants));
  const known = [...byValue.keys()].map((value) => JSON.stringify(value)).join(", ");
  const flaw: Flaw = { path: key, problem: `must be one of ${known}` };
  const all = [...(otherwise === undefined ? [] : [otherwise]), ...Object.values(variants)];
  const variantOf = (value: unknown): Variant | undefined =>
    (isRecord(value) ? byValue.get(value[key]) : undefined) ?? otherwise;
  return {
    schema: () => ({ anyOf: all.map((shape) => shape.schema()) }),
    check(stored) {
      if (!isRecord(stored)) return { path: "", problem: "must be an object" };
      const variant = variantOf(stored);
      return variant === undefined ? flaw : variant.check(stored);
    },
    report: (value, view) => variantOf(value)?.report(value, view) ?? {},
    print: () => [
      "union",
      key,
      ...Object.entries(variants).map(([name, one]) => [name, one.print()]),
      ...(otherwise === undefined ? [] : [otherwise.print()]),
    ],
    errorsIn() {
      if (all.every((shape) => shape.errorsIn() === null)) return null;
      return (value, change) => (isRecord(value) ? (variantOf(value)?.errorsIn()?.(value, change) ?? value) : value);
    },
    parts: () => all.flatMap((shape) => shape.parts()),
  };
}

/**
 * A shape whose type says more than its fields can, such as that an errored trial has its error. `flawOf` checks what the
 * type says beyond them.
 */
export function narrowed<U, T extends U, R extends JsonValue>(
  shape: Shape<U, R>,
  flawOf: (stored: U) => Flaw | null,
): Shape<T, R> {
  const { of: _type, ...own } = shape;
  const fits = (stored: unknown): stored is U => shape.check(stored) === null;
  return {
    ...own,
    check: (stored) => (fits(stored) ? flawOf(stored) : shape.check(stored)),
  };
}

/** A string, or another shape. */
export function textOr<T>(shape: Shape<T>): Shape<string | T> {
  return {
    ...shape,
    schema: () => ({ anyOf: [text.schema(), shape.schema()] }),
    check: (stored) => (typeof stored === "string" ? null : shape.check(stored)),
    report: (value, view) => (typeof value === "string" ? view.text(value) : shape.report(value, view)),
    print: () => ["text or", shape.print()],
  };
}
