type Json = Record<string, unknown>;

/** Keys and indices, from the outermost. */
export type JsonPath = readonly (string | number)[];

/** The value at a path, replaced; removed when it is undefined. */
export function withValue(body: unknown, [step, ...rest]: JsonPath, value: unknown): unknown {
  if (step === undefined) return value;
  const copy = (Array.isArray(body) ? [...(body as unknown[])] : { ...(body as Json) }) as Json;
  copy[step] = withValue(copy[step], rest, value);
  return copy;
}

/** What the second body has beyond the first, level by level. */
export function added(before: Json, after: Json): Json {
  const result: Json = {};
  for (const [name, value] of Object.entries(after)) {
    const old = before[name];
    if (JSON.stringify(old) === JSON.stringify(value)) continue;
    const areObjects = [old, value].every((side) => typeof side === "object" && side !== null && !Array.isArray(side));
    result[name] = areObjects ? added(old as Json, value as Json) : value;
  }
  return result;
}

export function valueAt(body: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((value, step) => (value as Json | undefined)?.[step], body);
}

/** A value in which every number is this one. */
export function withCounts(value: unknown, count: number): unknown {
  if (typeof value === "number") return count;
  if (Array.isArray(value)) return value.map((item) => withCounts(item, count));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withCounts(item, count)]));
}
