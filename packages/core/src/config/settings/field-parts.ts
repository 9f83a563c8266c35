/** The parts of a case's identity. */
export type IdentityPart = "agent" | "setup" | "scoring" | "pass";

/** The parts that a field belongs to, each with what of the field counts for it; `owner` has the field. */
export type FieldParts<Value, Owner = unknown> = {
  readonly [Part in IdentityPart]?: (value: Value, owner: Owner) => unknown;
};

/**
 * Every field of a type with its parts, so that a field that nobody has thought about does not compile. One that cannot
 * change a result is `ignored`.
 */
export type Fields<T> = { readonly [Key in keyof T]-?: FieldParts<Exclude<T[Key], undefined>, T> };

/** A field that cannot change a result, or that counts elsewhere. */
export const ignored: FieldParts<unknown> = {};

const whole = (value: unknown): unknown => value;

/** Fields that count as they are. */
export const ofAgent: FieldParts<unknown> = { agent: whole };
export const ofSetup: FieldParts<unknown> = { setup: whole };
export const ofScoring: FieldParts<unknown> = { scoring: whole };

/** The fields of an object that are part of an identity. */
export function partOf<T extends object>(value: T, fields: Fields<T>, part: IdentityPart): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const key of keysOf(fields, part)) {
    const field = value[key];
    const take = fields[key][part];
    if (take !== undefined && isThere(field)) found[key] = take(field, value);
  }
  return found;
}

const keysByFields = new WeakMap<object, Map<IdentityPart, readonly string[]>>();

/** The keys that count for a part, in order. A test has very many fields, few of which count for any one. */
function keysOf<T extends object>(fields: Fields<T>, part: IdentityPart): readonly Extract<keyof T, string>[] {
  let byPart = keysByFields.get(fields);
  if (byPart === undefined) keysByFields.set(fields, (byPart = new Map<IdentityPart, readonly string[]>()));
  let keys = byPart.get(part);
  if (keys === undefined) {
    const found: string[] = [];
    for (const key in fields) if (fields[key][part] !== undefined) found.push(key);
    byPart.set(part, (keys = found.toSorted()));
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- they are keys of these fields
  return keys as readonly Extract<keyof T, string>[];
}

function isThere<T>(value: T): value is Exclude<T, undefined> {
  return value !== undefined;
}
