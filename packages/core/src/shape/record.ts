import { isRecord, type JsonObject, type JsonValue } from "../values/json.js";
import type { AnyShape, ErrorMap, Flaw, Part, Shape, View, Volatility } from "./shape.js";

/** What a record does with a field, beyond what its shape says. See the functions of `field.ts` that set them. */
export interface Marks {
  isInternal?: boolean;
  isDerived?: boolean;
  isNullable?: boolean;
  isKept?: boolean;
  reportedAs?: string;
  from?(owner: never, view: View): JsonValue | undefined;
  isShown?(value: never, view: View): boolean;
  volatility?: Volatility;
}

/** `P`: whether the key is there, unless the group of the field determines it. */
export interface Field<P extends Presence = Presence> extends AnyShape {
  readonly marks?: Marks;
  readonly presence?: P;
}

export type Presence = "group" | "optional" | "required" | "none";

export type Fields = Readonly<Record<string, Field>>;

type PresenceOf<F> = F extends { readonly presence?: infer P } ? (unknown extends P ? "group" : P) : "group";

type Stored<F, P extends Presence> = {
  [K in keyof F as PresenceOf<F[K]> extends P ? K : never]: F[K] extends { readonly of?: infer T } ? T : never;
};

type Flat<T> = { [K in keyof T]: T[K] };

/** The type of a record that always has the fields `A`, and sometimes those of `S`. */
export type RecordOf<A, S> = Flat<
  Stored<A, "group" | "required"> &
    Stored<S, "required"> &
    Partial<Stored<A, "optional">> &
    Partial<Stored<S, "group" | "optional">>
>;

/** Keeps its fields, so that other records can be made of them. */
export interface RecordShape<A extends Fields, S extends Fields> extends Shape<RecordOf<A, S>, JsonObject> {
  readonly always: A;
  readonly sometimes: S;
}

type None = {};

/** A record that always has the fields `always`, and may have those of `sometimes`. */
export function record<A extends Fields>(always: A): RecordShape<A, None>;
export function record<A extends Fields, S extends Fields>(always: A, sometimes: S): RecordShape<A, S>;
export function record(always: Fields, sometimes: Fields = {}): RecordShape<Fields, Fields> {
  const check = later(() => checkFor(always, sometimes));
  const errors = later(() => ({ map: errorsFor({ ...always, ...sometimes }) }));
  const report = later(() => reportFor(always, sometimes));
  return {
    always,
    sometimes,
    schema() {
      const required = reportedSchemas(always);
      const properties = { ...required, ...reportedSchemas(sometimes) };
      return { type: "object", required: Object.keys(required), properties };
    },
    check: (stored) => check()(stored),
    report: (value, view) => report()(value, view),
    print: () => ({ ...printOf(always, ""), ...printOf(sometimes, "?") }),
    errorsIn: () => errors().map,
    parts: () => [...reportedFields(always), ...reportedFields(sometimes)],
  };
}

function reportedEntries(fields: Fields): readonly (readonly [string, Field])[] {
  return Object.entries(fields).flatMap(([key, field]) =>
    field.marks?.isInternal === true ? [] : [[field.marks?.reportedAs ?? key, field] as const],
  );
}

function reportedSchemas(fields: Fields): JsonObject {
  return Object.fromEntries(reportedEntries(fields).map(([key, field]) => [key, field.schema()]));
}

function reportedFields(fields: Fields): readonly Part[] {
  return reportedEntries(fields).map(([key, shape]) => ({ key, shape, volatility: shape.marks?.volatility ?? null }));
}

function printOf(fields: Fields, mark: string): JsonObject {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, { marks }]) => marks?.isDerived !== true)
      .map(([key, field]) => [`${key}${isOptional(field, mark === "?") ? "?" : ""}`, field.print()]),
  );
}

function isOptional({ marks }: Field, isOfSometimes: boolean): boolean {
  return isOfSometimes ? marks?.isKept !== true : marks?.isNullable === true;
}

function later<T>(make: () => T): () => T {
  let made: T | null = null;
  return () => (made ??= make());
}

interface CheckStep {
  key: string;
  check(stored: unknown): Flaw | null;
  isOptional: boolean;
}

function checkStepsOf(fields: Fields, isOfSometimes: boolean): readonly CheckStep[] {
  return Object.entries(fields)
    .filter(([, { marks }]) => marks?.isDerived !== true)
    .map(([key, field]) => ({ key, check: field.check, isOptional: isOptional(field, isOfSometimes) }));
}

const noObject: Flaw = { path: "", problem: "must be an object" };

function checkFor(always: Fields, sometimes: Fields): (stored: unknown) => Flaw | null {
  const steps = [...checkStepsOf(always, false), ...checkStepsOf(sometimes, true)];
  return (stored) => {
    if (!isRecord(stored)) return noObject;
    for (const { key, check, isOptional: mayMiss } of steps) {
      const value = stored[key];
      const flaw = value === undefined && mayMiss ? null : check(value);
      if (flaw !== null) return below(key, flaw);
    }
    return null;
  };
}

function errorsFor(fields: Fields): ErrorMap | null {
  const steps = Object.entries(fields).flatMap(([key, field]) => {
    const map = field.marks?.isDerived === true ? null : field.errorsIn();
    return map === null ? [] : [{ key, map }];
  });
  if (steps.length === 0) return null;
  return (owner, change) => {
    if (!isRecord(owner)) return owner;
    let changed: Record<string, unknown> | null = null;
    for (const { key, map } of steps) {
      const before = owner[key];
      const after = before === undefined ? before : map(before, change);
      if (after !== before) (changed ??= { ...owner })[key] = after;
    }
    return changed ?? owner;
  };
}

/** The flaw in the words of its owner. */
export function below(key: string, { path, problem }: Flaw): Flaw {
  return { path: path === "" || path.startsWith("[") ? `${key}${path}` : `${key}.${path}`, problem };
}

/** Methods, whose parameters TypeScript lets be narrower: each is handed the field that it was declared for. */
interface FieldMethods {
  report(value: unknown, view: View): JsonValue;
  isShown(value: unknown, view: View): boolean;
  from(owner: object, view: View): JsonValue | undefined;
}

interface ReportStep {
  key: string;
  reportedAs: string;
  report: FieldMethods["report"];
  /** The key is there even if the value is not. */
  isNullable: boolean;
  isShown: FieldMethods["isShown"] | null;
  from: FieldMethods["from"] | null;
}

function reportStepsOf(fields: Fields, isNullable: boolean): readonly ReportStep[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const { isInternal, isDerived, reportedAs = key, isShown = null, from = null } = field.marks ?? {};
    if (isInternal === true || (isDerived === true && from === null)) return [];
    return [{ key, reportedAs, report: field.report, isNullable, isShown, from }];
  });
}

function reportFor(always: Fields, sometimes: Fields): (owner: object, view: View) => JsonObject {
  const steps = [...reportStepsOf(always, true), ...reportStepsOf(sometimes, false)];
  return (owner, view) => {
    const reported: JsonObject = {};
    for (const { key, reportedAs, report, isNullable, isShown, from } of steps) {
      let made: JsonValue | undefined;
      if (from === null) {
        const value: unknown = Reflect.get(owner, key);
        if (value !== undefined && isShown !== null && !isShown(value, view)) continue;
        if (value !== undefined) made = report(value, view);
      } else {
        made = from(owner, view);
      }
      if (made !== undefined) reported[reportedAs] = made;
      else if (isNullable) reported[reportedAs] = null;
    }
    return reported;
  };
}
