import type { JsonObject, JsonValue } from "../values/json.js";

/** How strings get into a report. */
export interface View {
  /** Masks what must not be shown. */
  text(text: string): string;
  /** Any value as JSON carries it, its strings masked. */
  value(value: unknown): JsonValue;
  /** Whether what a provider said stands word for word in errors. */
  verbose: boolean;
  /** Whether conversations are in the report, message by message. */
  messages: boolean;
  /** For what agents and tools said: also masks what assertions found that must not be shown. */
  said: View | null;
}

/** What is wrong with a stored value. */
export interface Flaw {
  /** The way to it, such as `turns[0].latencyMs`; empty for the value itself. */
  path: string;
  /** Goes on a sentence that begins with the path, such as `must be a number`. */
  problem: string;
}

/** Where a field differs between two reports of runs that came to the same. */
export type Volatility =
  /** In this place. */
  | { at: "here" }
  /** Wherever this key occurs, or wherever it occurs directly below the key `under`. */
  | { at: "anywhere"; under?: string }
  /** In the members of a list that have one of these names. */
  | { at: "named"; names: readonly string[] };

/**
 * One declaration of a part of a result. Everything else is made of it: the type (`Static`), the reader that believes
 * nothing (`check`), the report, its JSON Schema, the list of what is volatile, and the print of the format.
 */
export interface Shape<T, Reported extends JsonValue = JsonValue> extends AnyShape<Reported> {
  /** There for the compiler alone. */
  readonly of?: T;
  report(value: T, view: View): Reported;
}

export interface AnyShape<Reported extends JsonValue = JsonValue> {
  /** What is reported of it, as JSON Schema. */
  schema(): JsonObject;
  /** Whether JSON that was stored is such a value; null if it is. */
  check(stored: unknown): Flaw | null;
  /** The value as it is reported. */
  report(value: never, view: View): Reported;
  /** What is stored of it, by kind and key: equal for two shapes whose files can be read by one another. */
  print(): JsonValue;
  /** Changes the errors in a value; null if there can be none. */
  errorsIn(): ErrorMap | null;
  /** The shapes in it, by the key that they are reported under; the empty key for those without one. */
  parts(): readonly Part[];
}

/** A value with each error in it changed; the same value if none of them did. */
export type ErrorMap = (value: unknown, change: (error: object) => object) => unknown;

export interface Part {
  key: string;
  shape: AnyShape;
  volatility: Volatility | null;
}

/** The type of what a shape declares. */
export type Static<S> = S extends { readonly of?: infer T } ? T : never;

/** What is wrong, as the end of a sentence. */
export function sayFlaw({ path, problem }: Flaw): string {
  return path === "" ? `it ${problem}` : `${path} ${problem}`;
}

const noParts: readonly Part[] = [];

/** A shape without shapes in it. */
export function leaf<T>(
  kind: JsonValue,
  schema: JsonObject,
  problem: string,
  accepts: (stored: unknown) => boolean,
  report: (value: T, view: View) => JsonValue,
): Shape<T> {
  const flaw: Flaw = { path: "", problem };
  return {
    schema: () => schema,
    check: (stored) => (accepts(stored) || isMasked(stored) ? null : flaw),
    report,
    print: () => kind,
    errorsIn: () => null,
    parts: () => noParts,
  };
}

/** Replaces a secret. */
export const mask = "[redacted]";

/** Any string or number may be a secret by chance, and stored files are masked. */
function isMasked(stored: unknown): boolean {
  return typeof stored === "string" && stored.includes(mask);
}
