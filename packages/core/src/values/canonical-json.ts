/**
 * A JSON value as text in which the order of keys does not count, so equal values have equal text. It grows piece by
 * piece, since lists of pieces take twice as long where this is called for each of thousands of cases.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  let text = "";
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === "" ? "" : ","}${canonicalJson(item ?? null)}`;
    return `[${text}]`;
  }
  for (const key of Object.keys(value).toSorted()) {
    const part: unknown = Reflect.get(value, key);
    if (part !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(part)}`;
  }
  return `{${text}}`;
}
