import { isRecord, preview } from "@kindlm/core/program";

const unlimited = 1_000_000;

/** Text of several lines, which is shown as it is, without quotes and its last line break; null for other values. */
export function linesOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const text = value.replace(/\r?\n$/, "");
  return text.includes("\n") ? text : null;
}

/** The fields of an object. One that has text of several lines is replaced by its own fields: `data.content`. */
export function fieldsOf(value: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(value).flatMap(([name, one]) =>
    isRecord(one) && Object.values(one).some((inner) => linesOf(inner) !== null)
      ? Object.entries(one).map(([inner, field]) => [`${name}.${inner}`, field] as const)
      : [[name, one] as const],
  );
}

/**
 * `order_id "ORD-4", total 1250` for an object, with fields of several lines below; text for text; else JSON. The value is
 * masked.
 */
export function listValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "";
  if (!isRecord(value)) return preview(value, unlimited);
  const short: string[] = [];
  const long: string[] = [];
  for (const [written, one] of fieldsOf(value)) {
    const name = written.replaceAll(/\s+/g, " ");
    const lines = linesOf(one);
    if (lines === null) short.push(`${name} ${preview(one, unlimited)}`);
    else long.push(name, ...lines.split("\n").map((line) => `  ${line}`));
  }
  return [short.join(", "), ...long].join("\n");
}
