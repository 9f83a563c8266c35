import path from "node:path";
import { failure, success, type Result } from "../../result.js";
import { isRecord, type JsonValue } from "../../values/json.js";
import { readReference, readYamlReference, type FileAccess, type FileReference } from "../file-references.js";
import type { DatasetRow } from "../resolved-config.js";
import { reservedNames } from "../schema/settings-schema.js";
import { findingAt, type Finding } from "../source/finding.js";
import { findingIn, type Section } from "../source/section.js";
import { parseCsvRows, parseJsonLines, parseJsonRows, type ParsedRows, type RowsProblem } from "./parse-rows.js";
import { withKeys } from "./row-keys.js";

type Rows = readonly [DatasetRow, ...DatasetRow[]];
type Outcome = Result<Rows, readonly Finding[]>;
type Report = (message: string, hint?: string, row?: number) => Finding;

/** More than a config may have: a dataset is data, and its rows are read without the cost of YAML. */
const mostBytes = 256 * 1024 * 1024;
const extensions: ReadonlySet<string> = new Set([".csv", ".jsonl", ".ndjson", ".json", ".yaml", ".yml"]);

/** The rows of a dataset file, with their keys. The form follows from the file's extension. */
export async function loadDataset(reference: FileReference, access: FileAccess): Promise<Outcome> {
  const extension = path.extname(reference.written).toLowerCase();
  if (!extensions.has(extension)) {
    const message = `"${reference.written}" is no csv, jsonl, json or yaml file`;
    return failure([findingIn(reference.section, { path: reference.path, message })]);
  }
  if (extension === ".yaml" || extension === ".yml") return loadYamlRows(reference, access);
  const source = await readReference(reference, access, mostBytes);
  if (!source.success) return source;
  const { text } = source.data;
  const parsed =
    extension === ".csv"
      ? await parseCsvRows(text)
      : extension === ".json"
        ? parseJsonRows(text)
        : parseJsonLines(text);
  if (!parsed.success) return failure([findingAt(source.data, parsed.error.range, textOf(parsed.error))]);
  const { rows, rangeOf }: ParsedRows = parsed.data;
  return checkRows(rows, (message, hint, row) =>
    findingAt(source.data, row === undefined ? { start: 0, end: 0 } : rangeOf(row), { message, hint }),
  );
}

async function loadYamlRows(reference: FileReference, access: FileAccess): Promise<Outcome> {
  const document = await readYamlReference(reference, access);
  if (!document.success) return document;
  const { value, source, locate } = document.data;
  const report: Report = (message, hint, row) =>
    findingAt(source, locate(row === undefined ? [] : [row]), { message, hint });
  if (!Array.isArray(value)) return failure([report("A dataset must be a list of mappings")]);
  return checkRows(value, report);
}

/** The rows that a test holds under `rows:`. */
export function inlineRows(section: Section, rows: readonly unknown[]): Outcome {
  return checkRows(rows, (message, hint, row) =>
    findingIn(section, { path: row === undefined ? ["rows"] : ["rows", row], message, hint }),
  );
}

function checkRows(rows: readonly unknown[], report: Report): Outcome {
  if (rows.length === 0)
    return failure([report("The dataset has no rows", "A test without a case would prove nothing")]);
  const problems: Finding[] = [];
  const reservedSeen = new Set<string>();
  const values: Readonly<Record<string, JsonValue>>[] = [];
  for (const [index, row] of rows.entries()) {
    if (!isRecord(row)) {
      problems.push(report(`Row ${index + 1} must be a mapping of column to value`, undefined, index));
      continue;
    }
    for (const name of reservedNames) {
      if (!Object.hasOwn(row, name) || reservedSeen.has(name)) continue;
      reservedSeen.add(name);
      const hint = `Reserved are ${reservedNames.join(", ")}; rename the column`;
      problems.push(report(`The column "${name}" has a reserved name`, hint, index));
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it came from a JSON, YAML or CSV parser
    values.push(row as Readonly<Record<string, JsonValue>>);
    if (problems.length >= 20) break;
  }
  if (problems.length > 0) return failure(problems);
  const [first, ...rest] = withKeys(values);
  return first === undefined ? failure([report("The dataset has no rows")]) : success([first, ...rest]);
}

function textOf(problem: RowsProblem): { message: string; hint?: string | undefined } {
  return { message: problem.message, hint: problem.hint };
}
