import path from "node:path";
import { failure, success, type Result } from "../../result.js";
import { didYouMean } from "../../values/nearest-name.js";
import { isRecord, type JsonValue } from "../../values/json.js";
import { readReference, readYamlReference, type FileAccess, type FileReference } from "../file-references.js";
import type { DatasetRow } from "../resolved-config.js";
import { reservedNames } from "../schema/settings-schema.js";
import type { WrittenDataset } from "../schema/dataset-schema.js";
import type { SourceText } from "../source/source-text.js";
import { findingAt, type Finding } from "../source/finding.js";
import { findingIn, type Section } from "../source/section.js";
import { parseCsv } from "./parse-csv.js";
import { parseJsonLines, parseJsonRows, type ParsedRows, type RowsProblem } from "./parse-rows.js";
import { hash } from "node:crypto";
import { canonicalJson } from "../../values/canonical-json.js";
import { unicodePattern } from "../../values/unicode-pattern.js";

const plainId = unicodePattern(String.raw`^[^\p{Cc}\p{Cf}\u2028\u2029]{1,200}$`);

/** The rows of a dataset. */
export interface LoadedRows {
  rows: readonly [DatasetRow, ...DatasetRow[]];
  /** Columns whose cells are strings and written as numbers, every one of them. */
  textNumbers: readonly string[];
}

type Outcome = Result<LoadedRows, readonly Finding[]>;
type Report = (message: string, hint?: string, row?: number) => Finding;

/** Where a dataset is named, and how it is read. */
export interface DatasetReference extends FileReference {
  /** What is written about a file of separated values; null for a file alone. */
  form: Exclude<WrittenDataset, string> | null;
}

/** `dataset:` of a test; `section` is the test. */
export function datasetReference(section: Section, written: WrittenDataset, referencedIn?: string): DatasetReference {
  return typeof written === "string"
    ? { section, path: ["dataset"], written, form: null, referencedIn }
    : { section, path: ["dataset", "file"], written: written.file, form: written, referencedIn };
}

/** More than a config may have: a dataset is data, and its rows are read without the cost of YAML. */
const mostBytes = 256 * 1024 * 1024;
const extensions: ReadonlySet<string> = new Set([".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".yaml", ".yml"]);

/** The rows of a dataset file, with their keys. The form follows from the file's extension. */
export async function loadDataset(reference: DatasetReference, access: FileAccess): Promise<Outcome> {
  const { section, path: at, written, form } = reference;
  const extension = path.extname(written).toLowerCase();
  if (!extensions.has(extension)) {
    return failure([findingIn(section, { path: at, message: `"${written}" is not a csv, jsonl, json or yaml file` })]);
  }
  const isCsv = extension === ".csv" || extension === ".tsv";
  const unused = (["columns", "delimiter"] as const).find((key) => form?.[key] !== undefined);
  if (!isCsv && unused !== undefined) {
    const message = `"${unused}" is for csv files, but "${written}" has its own types`;
    return failure([findingIn(section, { path: ["dataset", unused], atKey: true, message, hint: "Remove it" })]);
  }
  if (extension === ".yaml" || extension === ".yml") return loadYamlRows(reference, access);
  const source = await readReference(reference, access, mostBytes);
  if (!source.success) return source;
  if (isCsv) return loadCsv(source.data, reference, extension === ".tsv" ? "\t" : ",");
  const { text } = source.data;
  const parsed = extension === ".json" ? parseJsonRows(text) : parseJsonLines(text);
  if (!parsed.success) return failure([findingAt(source.data, parsed.error.range, textOf(parsed.error))]);
  return checkRows(parsed.data.rows, reportIn(source.data, parsed.data));
}

async function loadCsv(source: SourceText, { section, form }: DatasetReference, usual: string): Promise<Outcome> {
  const { columns = {}, delimiter = usual } = form ?? {};
  const parsed = await parseCsv(source.text, { columns, delimiter });
  if (!parsed.success) return failure(parsed.error.map((problem) => findingAt(source, problem.range, textOf(problem))));
  const { header, rows, textNumbers } = parsed.data;
  const unknown = Object.keys(columns).filter((name) => !header.includes(name));
  if (unknown.length > 0) {
    return failure(
      unknown.map((name) =>
        findingIn(section, {
          path: ["dataset", "columns", name],
          atKey: true,
          message: `The dataset has no column "${name}"`,
          hint: didYouMean(name, header) ?? `Available: ${header.join(", ")}`,
        }),
      ),
    );
  }
  const report = reportIn(source, parsed.data);
  const reserved = reservedNames.filter((name) => header.includes(name));
  if (reserved.length > 0) return failure(reserved.map((name) => report(...reservedColumn(name))));
  const checked = checkRows(rows, report);
  return checked.success ? success({ ...checked.data, textNumbers }) : checked;
}

function reportIn(source: SourceText, { rangeOf }: ParsedRows): Report {
  return (message, hint, row) =>
    findingAt(source, row === undefined ? { start: 0, end: 0 } : rangeOf(row), { message, hint });
}

async function loadYamlRows(reference: FileReference, access: FileAccess): Promise<Outcome> {
  const document = await readYamlReference(reference, access);
  if (!document.success) return document;
  const { value, source, locate } = document.data;
  const report: Report = (message, hint, row) =>
    findingAt(source, locate(row === undefined ? [] : [row]), { message, hint });
  if (!Array.isArray(value)) return failure([report("A dataset must be a list of objects")]);
  return checkRows(value, report);
}

/** The rows that a test holds under `rows:`. */
export function inlineRows(section: Section, rows: readonly unknown[]): Outcome {
  return checkRows(rows, (message, hint, row) =>
    findingIn(section, { path: row === undefined ? ["rows"] : ["rows", row], message, hint }),
  );
}

const mostProblems = 20;

function checkRows(rows: readonly unknown[], report: Report): Outcome {
  if (rows.length === 0)
    return failure([report("The dataset has no rows", "A test without a case would prove nothing")]);
  const problems: Finding[] = [];
  const reservedSeen = new Set<string>();
  const values: Readonly<Record<string, JsonValue>>[] = [];
  for (const [index, row] of rows.entries()) {
    if (!isRecord(row)) {
      problems.push(report(`Row ${index + 1} must be an object with columns as keys`, undefined, index));
      continue;
    }
    for (const name of reservedNames) {
      if (!Object.hasOwn(row, name) || reservedSeen.has(name)) continue;
      reservedSeen.add(name);
      problems.push(report(...reservedColumn(name), index));
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it came from a JSON, YAML or CSV parser
    values.push(row as Readonly<Record<string, JsonValue>>);
    if (problems.length >= mostProblems) break;
  }
  if (problems.length > 0) return failure(problems);
  const keyed = withKeys(values);
  if (keyed.repeated.length > 0) {
    return failure(
      keyed.repeated
        .slice(0, mostProblems)
        .map(({ id, row, first }) =>
          report(
            `Row ${row + 1} has the id "${id}" of row ${first + 1}`,
            "Give each row its own id, or rename the column: without ids, rows are named by a hash of their content",
            row,
          ),
        ),
    );
  }
  const [first, ...rest] = keyed.rows;
  return first === undefined
    ? failure([report("The dataset has no rows")])
    : success({ rows: [first, ...rest], textNumbers: [] });
}

function reservedColumn(name: string): [message: string, hint: string] {
  const hint = `Rename the column. Reserved names: ${reservedNames.join(", ")}`;
  return [`The column "${name}" has a reserved name`, hint];
}

function textOf(problem: RowsProblem): { message: string; hint?: string | undefined } {
  return { message: problem.message, hint: problem.hint };
}

type Values = Readonly<Record<string, JsonValue>>;

/** Rows with their keys, and those whose `id` another one has. */
interface KeyedRows {
  rows: readonly DatasetRow[];
  /** Rows count from 0; `first` has the id too. */
  repeated: readonly { id: string; row: number; first: number }[];
}

/**
 * Gives each row its key: the `id` column where it holds a string or a number, else a hash of the content in which the
 * order of the columns does not count. Rows of equal content get `-2`, `-3` and so on.
 */
function withKeys(rows: readonly Values[]): KeyedRows {
  const taken = new Set<string>();
  const repeats = new Map<string, number>();
  const rowOfId = new Map<string, number>();
  const repeated: { id: string; row: number; first: number }[] = [];
  const keyed = rows.map((values, row) => {
    const id = idOf(values);
    if (id !== null) {
      const first = rowOfId.get(id);
      if (first === undefined) rowOfId.set(id, row);
      else repeated.push({ id, row, first });
    }
    const base = id ?? hash("sha256", canonicalJson(values)).slice(0, 12);
    let key = base;
    while (taken.has(key)) {
      const count = (repeats.get(base) ?? 1) + 1;
      repeats.set(base, count);
      key = `${base}-${count}`;
    }
    taken.add(key);
    return { key, values };
  });
  return { rows: keyed, repeated };
}

function idOf({ id }: Values): string | null {
  const written = typeof id === "number" || typeof id === "string" ? String(id).trim() : "";
  return plainId().test(written) ? written : null;
}
