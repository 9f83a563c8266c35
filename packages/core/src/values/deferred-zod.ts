import * as zod from "zod";

/**
 * zod, with every schema built at its first use. The schemas of KindLM are thousands of steps, each of which makes zod build
 * its own schema, and a config needs a tenth of them. What the constructors below return remembers its steps, and
 * stands for the schema in everything else that is done with it.
 */
export * from "zod";

/** What makes a schema of a schema. Anything else that is asked of one is a use of it. */
const steps: ReadonlySet<string | symbol> = new Set(
  (
    "array catch default describe gt int lt max meta min nonnegative nullable nullish optional partial pipe positive " +
    "prefault refine regex superRefine transform trim"
  ).split(" "),
);

/** Steps after which an absent value may become one. */
const defaulting: ReadonlySet<string> = new Set(["catch", "default", "prefault"]);

class Deferral {
  /** The schema may put a value where there is none. */
  readonly isDefaulted: boolean;
  readonly #build: () => zod.ZodType;
  #schema: zod.ZodType | null = null;
  #safeParse: unknown = null;

  constructor(build: () => zod.ZodType, isDefaulted: boolean) {
    this.#build = build;
    this.isDefaulted = isDefaulted;
  }

  get schema(): zod.ZodType {
    this.#schema ??= this.#build();
    return this.#schema;
  }

  get safeParse(): unknown {
    this.#safeParse ??= this.schema.safeParse.bind(this.schema);
    return this.#safeParse;
  }

  quicken(): void {
    const compiled = zod.compile(this.schema);
    this.#safeParse = compiled.safeParse.bind(compiled);
  }
}

const deferrals = new WeakMap<object, Deferral>();

const handler: ProxyHandler<Deferral> = {
  get(deferral, name) {
    if (name === "safeParse") return deferral.safeParse;
    if (steps.has(name)) return (...args: unknown[]) => next(deferral, String(name), args);
    const value: unknown = Reflect.get(deferral.schema, name);
    const bound: unknown = typeof value === "function" ? value.bind(deferral.schema) : value;
    return bound;
  },
  has: (deferral, name) => Reflect.has(deferral.schema, name),
};

function defer(build: () => zod.ZodType, isDefaulted: boolean): unknown {
  const deferral = new Deferral(build, isDefaulted);
  const schema = new Proxy(deferral, handler);
  deferrals.set(schema, deferral);
  return schema;
}

function next(deferral: Deferral, step: string, args: readonly unknown[]): unknown {
  if (step === "meta" && args.length === 0) return deferral.schema.meta();
  if (step === "optional" && !deferral.isDefaulted) return defer(() => optionalOf(deferral), false);
  const isDefaulted = deferral.isDefaulted || defaulting.has(step);
  return defer(() => apply(Reflect.get(deferral.schema, step), deferral.schema, args), isDefaulted);
}

/** A key that is absent needs no schema. */
function optionalOf(deferral: Deferral): zod.ZodType {
  const later = zod.lazy(() => deferral.schema);
  // oxlint-disable-next-line no-underscore-dangle -- zod's own name; zod would build the schema to find out
  later._zod.optin = undefined;
  return later.optional();
}

function apply(make: unknown, owner: zod.ZodType | null, args: readonly unknown[]): zod.ZodType {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constructor of zod, or a method of one of its schemas
  return Reflect.apply(make as (...given: unknown[]) => zod.ZodType, owner, args.map(withSchemas));
}

/** The argument with the schemas in it, if it is a schema, a list of schemas or a shape. */
function withSchemas(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const own = deferrals.get(value);
  if (own !== undefined) return own.schema;
  if (Array.isArray(value)) return value.some(isDeferred) ? value.map(withSchemas) : value;
  const entries: [string, unknown][] = Object.entries(value);
  if (!entries.some(([, entry]) => isDeferred(entry))) return value;
  return Object.fromEntries(entries.map(([key, entry]) => [key, withSchemas(entry)]));
}

const isDeferred = (value: unknown): boolean => typeof value === "object" && value !== null && deferrals.has(value);

/** Whether a part of a schema may put a value where there is none. One that zod built itself may. */
const mayDefault = (part: unknown): boolean =>
  typeof part === "object" && part !== null && (deferrals.get(part)?.isDefaulted ?? "_zod" in part);

function deferring<Make>(make: Make): Make {
  const deferred = (...args: readonly unknown[]): unknown =>
    defer(() => apply(make, null, args), args.flat().some(mayDefault));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it stands for the constructor whose schema it builds later
  return deferred as Make;
}

export const array = deferring(zod.array);
export const boolean = deferring(zod.boolean);
/** The schema with a parser that is generated for it, for values that there are thousands of. */
export const compile = deferring(zod.compile);
export const custom = deferring(zod.custom);
export const discriminatedUnion = deferring(zod.discriminatedUnion);
export const int = deferring(zod.int);
export const json = deferring(zod.json);
export const literal = deferring(zod.literal);
export const looseObject = deferring(zod.looseObject);
export const number = deferring(zod.number);
export const object = deferring(zod.object);
export const optional = deferring(zod.optional);
export const partialRecord = deferring(zod.partialRecord);
export const record = deferring(zod.record);
export const strictObject = deferring(zod.strictObject);
export const string = deferring(zod.string);
export const tuple = deferring(zod.tuple);
export const union = deferring(zod.union);
export const unknown = deferring(zod.unknown);
const enumOf = deferring(zod.enum);
export { enumOf as enum };

/** The schema itself, for code that compares schemas by identity. */
export const builtSchema = (schema: zod.ZodType): zod.ZodType => deferrals.get(schema)?.schema ?? schema;

/** Generates a parser for a schema that is used very often. It takes milliseconds, and reads in a hundredth of the time. */
export function quicken(schema: zod.ZodType): void {
  deferrals.get(schema)?.quicken();
}

export function toJSONSchema(
  schema: zod.ZodType,
  parameters?: zod.core.ToJSONSchemaParams,
): ReturnType<typeof zod.toJSONSchema<zod.ZodType>> {
  return zod.toJSONSchema(builtSchema(schema), parameters);
}
