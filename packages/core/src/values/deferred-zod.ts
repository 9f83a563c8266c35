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

/** Steps that change nothing about what is read. Each makes zod copy the schema. */
const describing: ReadonlySet<string> = new Set(["describe", "meta"]);

/** Steps after which an absent value may become one. */
const defaulting: ReadonlySet<string> = new Set(["catch", "default", "prefault"]);

/** What a schema is built for: values are read without descriptions. */
type Purpose = "reading" | "describing";
type Schema = zod.core.$ZodType;
type Build = (purpose: Purpose) => Schema;
type SafeParse = (...args: Parameters<zod.ZodType["safeParse"]>) => zod.ZodSafeParseResult<unknown>;

class Deferral {
  /** The schema may put a value where there is none. */
  readonly isDefaulted: boolean;
  readonly #build: Build;
  readonly #built: Partial<Record<Purpose, Schema>> = {};
  #safeParse: SafeParse | null = null;

  constructor(build: Build, isDefaulted: boolean) {
    this.#build = build;
    this.isDefaulted = isDefaulted;
  }

  builtFor(purpose: Purpose): Schema {
    return (this.#built[purpose] ??= this.#build(purpose));
  }

  get safeParse(): SafeParse {
    this.#safeParse ??= (value, context) => zod.safeParse(this.builtFor("reading"), value, context);
    return this.#safeParse;
  }

  quicken(): void {
    const compiled = zod.compile(this.builtFor("reading"));
    this.#safeParse = (value, context) => zod.safeParse(compiled, value, context);
  }
}

const deferrals = new WeakMap<object, Deferral>();

const handler: ProxyHandler<Deferral> = {
  get(deferral, name) {
    if (name === "safeParse") return deferral.safeParse;
    if (name === "parse") return (...args: Parameters<SafeParse>) => zod.parse(deferral.builtFor("reading"), ...args);
    if (steps.has(name)) return (...args: unknown[]) => next(deferral, String(name), args);
    // Whoever looks into a schema, as zod itself does, may describe what is in it.
    const schema = deferral.builtFor("describing");
    const value: unknown = Reflect.get(schema, name);
    const bound: unknown = typeof value === "function" ? value.bind(schema) : value;
    return bound;
  },
  has: (deferral, name) => Reflect.has(deferral.builtFor("describing"), name),
};

function defer(build: Build, isDefaulted: boolean): unknown {
  const deferral = new Deferral(build, isDefaulted);
  const schema = new Proxy(deferral, handler);
  deferrals.set(schema, deferral);
  return schema;
}

function next(deferral: Deferral, step: string, args: readonly unknown[]): unknown {
  if (step === "meta" && args.length === 0) return zod.globalRegistry.get(deferral.builtFor("describing"));
  if (step === "optional" && !deferral.isDefaulted) return defer((purpose) => optionalOf(deferral, purpose), false);
  const isDefaulted = deferral.isDefaulted || defaulting.has(step);
  return defer((purpose) => {
    const owner = deferral.builtFor(purpose);
    if (purpose === "reading" && describing.has(step)) return owner;
    // What is optional and only read can do no more than that.
    const able = step in owner ? owner : deferral.builtFor("describing");
    return apply(Reflect.get(able, step), able, args, purpose);
  }, isDefaulted);
}

/** A key that is absent needs no schema. */
function optionalOf(deferral: Deferral, purpose: Purpose): Schema {
  const later = new zod.core.$ZodLazy({ type: "lazy", getter: () => deferral.builtFor(purpose) });
  // oxlint-disable-next-line no-underscore-dangle -- zod's own name; zod would build the schema to find out
  later._zod.optin = undefined;
  // Most keys of a config are optional, and without the methods of a schema one takes a quarter of the time.
  if (purpose === "reading") return new zod.core.$ZodOptional({ type: "optional", innerType: later });
  return zod.optional(later);
}

function apply(make: unknown, owner: Schema | null, args: readonly unknown[], purpose: Purpose): Schema {
  const built = args.map((value) => withSchemas(value, purpose));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constructor of zod, or a method of one of its schemas
  return Reflect.apply(make as (...given: unknown[]) => Schema, owner, built);
}

/** The argument with the schemas in it, if it is a schema, a list of schemas or a shape. */
function withSchemas(value: unknown, purpose: Purpose): unknown {
  if (typeof value !== "object" || value === null) return value;
  const own = deferrals.get(value);
  if (own !== undefined) return own.builtFor(purpose);
  if (Array.isArray(value)) {
    return value.some(isDeferred) ? value.map((entry) => withSchemas(entry, purpose)) : value;
  }
  const entries: [string, unknown][] = Object.entries(value);
  if (!entries.some(([, entry]) => isDeferred(entry))) return value;
  return Object.fromEntries(entries.map(([key, entry]) => [key, withSchemas(entry, purpose)]));
}

const isDeferred = (value: unknown): boolean => typeof value === "object" && value !== null && deferrals.has(value);

/** Whether a part of a schema may put a value where there is none. One that zod built itself may. */
const mayDefault = (part: unknown): boolean =>
  typeof part === "object" && part !== null && (deferrals.get(part)?.isDefaulted ?? "_zod" in part);

function deferring<Make>(make: Make): Make {
  const deferred = (...args: readonly unknown[]): unknown =>
    defer((purpose) => apply(make, null, args, purpose), args.flat().some(mayDefault));
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

/** The schema itself as {@link toJSONSchema} sees it, for code that compares schemas by identity. */
export const builtSchema = (schema: Schema): Schema => deferrals.get(schema)?.builtFor("describing") ?? schema;

/** The keys of an object; null for another schema. One that transforms its outcome is a pipe: what is written is its way in. */
export function objectKeys(schema: Schema): readonly string[] | null {
  const built = deferrals.get(schema)?.builtFor("reading") ?? schema;
  if (built instanceof zod.ZodObject) return Object.keys(built.shape);
  return built instanceof zod.ZodPipe ? objectKeys(built.in) : null;
}

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
