import { findSchemaSlips } from "../../json-schema/find-schema-slips.js";
import { isRecord } from "../../values/json.js";
import { report, type Section } from "../source/section.js";
import type { Path } from "../source/written.js";

/** Warns of what a JSON Schema in the config only seems to check. */
export function reportSchemaSlips(section: Section, path: Path, schema: unknown): void {
  for (const slip of findSchemaSlips(schema)) {
    const { message, hint } = slip;
    report(section, { path: [...path, ...slip.path], severity: "warning", message, hint, atKey: !isFormat(slip.path) });
  }
}

/** The same for every `$schema` operator of the matchers in a part of a config. */
export function reportMatcherSlips(section: Section): void {
  if (!section.document.source.text.includes("$schema")) return;
  const seen = new Set<object>();
  const queue: { value: unknown; path: Path }[] = [{ value: section.value, path: [] }];
  for (const { value, path } of queue) {
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    // In a JSON Schema itself, the key names its draft as a string.
    if (isRecord(value) && isRecord(value["$schema"])) {
      reportSchemaSlips(section, [...path, "$schema"], value["$schema"]);
      continue;
    }
    const isList = Array.isArray(value);
    for (const [key, item] of Object.entries(value)) {
      queue.push({ value: item, path: [...path, isList ? Number(key) : key] });
    }
  }
}

/** The value of `format` is the mistake, not the key. */
function isFormat(path: Path): boolean {
  return path.at(-1) === "format";
}
