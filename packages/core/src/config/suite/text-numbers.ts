import { isRecord } from "../../values/json.js";
import { report, type Section } from "../source/section.js";
import type { Path } from "../source/written.js";
import type { PreparedAssertion } from "./prepare-assertions.js";

/** A placeholder that puts a string into a matcher, though every cell of its column is written as a number. */
export interface TextNumber {
  column: string;
  path: Path;
}

/** Keys of assertions whose values are matchers. */
const matcherKeys: ReadonlySet<string> = new Set(["args", "result", "data", "calls", "tools"]);
/** Operators that compare strings. */
const ofStrings =
  /^\$(?:contains|starts_with|ends_with|ignore_case|ignoring|normalized|regex|flags|type|keys|date|literal)$/;

/** Where an assertion, as it is written, compares such a column as a whole. */
export function findTextNumbers(raw: unknown, columns: readonly string[]): readonly TextNumber[] {
  if (columns.length === 0) return [];
  const found: TextNumber[] = [];
  const visit = (node: unknown, path: Path, isMatched: boolean): void => {
    if (typeof node === "string") {
      const name = /^\{\{\s*(?:row\.)?([^{}]*?)\s*\}\}$/.exec(node)?.[1];
      if (isMatched && name !== undefined && columns.includes(name)) found.push({ column: name, path });
    } else if (Array.isArray(node)) {
      node.forEach((item, index) => visit(item, [...path, index], isMatched));
    } else if (isRecord(node)) {
      for (const [key, item] of Object.entries(node)) {
        if (ofStrings.test(key)) continue;
        const starts = matcherKeys.has(key) || (key === "value" && node["type"] === "json");
        visit(item, [...path, key], isMatched || starts);
      }
    }
  };
  visit(raw, [], false);
  return found;
}

/** What a failure says of such a column. */
export function describeTextNumber(column: string): string {
  return `"{{${column}}}" is a string here. ${offerNumber(column)}`;
}

function offerNumber(column: string): string {
  return `To compare numbers, write dataset: { file: …, columns: { ${column}: number } }; for strings, ${column}: string`;
}

export function reportTextNumbers(
  columns: readonly string[],
  assertions: readonly PreparedAssertion[],
  { findings }: Section,
): void {
  for (const { template, section } of assertions) {
    for (const { column, path } of findTextNumbers(template.raw, columns)) {
      report(
        { ...section, findings },
        {
          path,
          severity: "warning",
          message: `"{{${column}}}" is a string, although each cell of the column "${column}" is a number`,
          hint: offerNumber(column),
        },
      );
    }
  }
}
