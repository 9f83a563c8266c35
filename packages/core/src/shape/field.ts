import type { JsonValue } from "../values/json.js";
import { nullable } from "./compound.js";
import type { Field, Marks, Presence } from "./record.js";
import { ms } from "./scalars.js";
import type { AnyShape, Shape, View } from "./shape.js";

/** A shape that is a field of some kind. */
export type FieldOf<T, P extends Presence> = Shape<T> & Field<P>;

function marked<F extends AnyShape>(shape: F, marks: Marks): F & { readonly marks: Marks } {
  const before: Marks = "marks" in shape && typeof shape.marks === "object" && shape.marks !== null ? shape.marks : {};
  return { ...shape, marks: { ...before, ...marks } };
}

/** Stored, and never reported. */
export function internal<F extends AnyShape>(shape: F): F {
  return marked(shape, { isInternal: true });
}

/** Reported, and not stored: made of its owner. */
export function derived(
  shape: AnyShape,
  from: (owner: never, view: View) => JsonValue | undefined,
): FieldOf<never, "none"> {
  return marked(unstored(shape), { isDerived: true, from });
}

/** Reported, and not stored: whoever renders the owner adds it. */
export function supplied(shape: AnyShape): FieldOf<never, "none"> {
  return marked(unstored(shape), { isDerived: true });
}

// A derived field is never stored, so that its type does not matter.
function unstored(shape: AnyShape): FieldOf<never, "none"> {
  return { ...shape };
}

/** May be absent, and is null in the report then. */
export function orNull<T>(shape: Shape<T>): FieldOf<T, "optional"> {
  const schema = Object.keys(shape.schema()).length === 0 ? shape.schema : nullable(shape).schema;
  return marked({ ...shape, schema }, { isNullable: true });
}

/** Stored as one thing, and reported as what `from` makes of its owner; undefined leaves it out. */
export function projected<T>(
  stored: Shape<T>,
  reported: AnyShape,
  from: (owner: never, view: View) => JsonValue | undefined,
): Shape<T> {
  return marked({ ...stored, schema: reported.schema, parts: reported.parts }, { from });
}

/** The published schema says less of it than the type. */
export function publishedAs<T>(reported: AnyShape, shape: Shape<T>): Shape<T> {
  return { ...shape, schema: reported.schema };
}

/** Always there, and reported only where `isShown` says so. */
export function kept<T>(shape: Shape<T>, isShown: (value: T, view: View) => boolean): FieldOf<T, "required"> {
  return marked(shape, { isKept: true, isShown });
}

/** Has another key in the report. */
export function reportedAs<F extends AnyShape>(key: string, shape: F): F {
  return marked(shape, { reportedAs: key });
}

/** Differs between reports of runs that came to the same. */
export function volatile<F extends AnyShape>(shape: F): F {
  return marked(shape, { volatility: { at: "here" } });
}

/** A duration, and anything else that is volatile wherever its key occurs. */
export function volatileAnywhere<F extends AnyShape>(shape: F, under?: string): F {
  return marked(shape, { volatility: under === undefined ? { at: "anywhere" } : { at: "anywhere", under } });
}

/** Volatile in the members of a list that have one of these names. */
export function volatileIn<F extends AnyShape>(names: readonly string[], shape: F): F {
  return marked(shape, { volatility: { at: "named", names } });
}

/** How long something took, milliseconds. */
export const timing: Shape<number> = volatileAnywhere(ms);
