import { parseOwnJson, type JsonValue } from "../../values/json.js";
import { attemptSync, attempt } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { failure, success, type Result } from "../../result.js";
import { jsonLimitOf } from "../../values/parse-json.js";
import type { ColumnType } from "../schema/dataset-schema.js";
import { kindlmError } from "../../errors/kindlm-error.js";
import type { TextRange } from "../source/source-text.js";
import type { ParsedRows, RowsProblem } from "./parse-rows.js";

/** How a file of separated values is read. */
export interface CsvForm {
  columns: Readonly<Record<string, ColumnType>>;
  delimiter: string;
}

export interface ParsedCsv extends ParsedRows {
  header: readonly string[];
  /** The columns without a type whose every cell is written as a number. */
  textNumbers: readonly string[];
}

type Outcome = Result<ParsedCsv, readonly RowsProblem[]>;

const mostProblems = 20;

/** Reads separated values with a header. A cell is a string unless its column is typed: nothing distinguishes `007` from a number. */
export async function parseCsv(text: string, { columns: types, delimiter }: CsvForm): Promise<Outcome> {
  const misread = await looksSeparatedBy(text, delimiter);
  if (misread !== null) return failure([{ ...misread, range: lineRange(text, 1) }]);
  const parsed = await readRecords(text, delimiter);
  if (!parsed.success) return failure([parsed.error]);
  const [header = [], ...records] = parsed.data;
  const columns = header.map((name) => name.trim());
  const unusable = whyUnusable(columns);
  if (unusable !== null) return failure([{ message: unusable, range: lineRange(text, 1) }]);
  const rangeOf = createRowFinder(text, parsed.data);
  const problems: RowsProblem[] = [];
  const rows = records.map((record, row) => {
    const cells = columns.map((name, index): [string, JsonValue] => {
      const cell = record[index] ?? "";
      const read = readCell(cell, Object.hasOwn(types, name) ? (types[name] ?? "string") : "string");
      if (read.success) return [name, read.data];
      if (problems.length < mostProblems) {
        const what = cell.trim() === "" ? "the cell is empty" : `${JSON.stringify(shortened(cell))} ${read.error}`;
        problems.push({
          message: `Row ${row + 1}, column "${name}": ${what}`,
          hint: hintFor(name),
          range: rangeOf(row),
        });
      }
      return [name, cell];
    });
    return Object.fromEntries(cells);
  });
  if (problems.length > 0) return failure(problems);
  const isOfNumbers = (name: string, index: number): boolean =>
    !Object.hasOwn(types, name) && records.length > 0 && records.every((record) => isNumber(record[index] ?? ""));
  return success({ rows, header: columns, textNumbers: columns.filter(isOfNumbers), rangeOf });
}

function hintFor(column: string): string {
  return `Fix the cell, or declare the column "${column}" as string`;
}

function whyUnusable(columns: readonly string[]): string | null {
  const repeated = columns.find((name, index) => columns.indexOf(name) !== index);
  if (repeated !== undefined) return `The column "${repeated}" occurs twice`;
  return columns.includes("") ? "A column has no name" : null;
}

async function readRecords(text: string, delimiter: string, most?: number): Promise<Result<string[][], RowsProblem>> {
  const parsed = await attempt(
    async () => {
      const { parse } = await import("csv-parse/sync");
      const form = { skip_empty_lines: true, trim: false, delimiter };
      return parse(text, most === undefined ? form : { ...form, to: most });
    },
    (cause) => kindlmError("CONFIG_VALIDATION_ERROR", messageOf(cause), { cause }),
  );
  if (parsed.success) return parsed;
  const { message, cause } = parsed.error;
  const line = cause !== undefined && "lines" in cause ? Number(cause.lines) : 1;
  return failure({
    message: `Invalid CSV: ${message.replace(/ (?:on|at) line \d+/, "")}`,
    range: lineRange(text, line),
  });
}

const separators: Readonly<Record<string, string>> = { ",": ",", ";": ";", "\t": "tabs", "|": "|" };

/** Another separator than the given one, if the header has one column only and makes sense with the other. */
async function looksSeparatedBy(text: string, delimiter: string): Promise<Omit<RowsProblem, "range"> | null> {
  const read = await readRecords(text, delimiter, 1);
  const [only, ...others] = read.success ? (read.data[0] ?? []) : [];
  if (only === undefined || others.length > 0) return null;
  const other = Object.keys(separators).find((one) => {
    const names = one === delimiter ? [] : only.split(one);
    return names.length > 1 && names.every((name) => /^\s*"?[\p{L}_][\p{L}\p{N}_ .-]*"?\s*$/u.test(name));
  });
  if (other === undefined) return null;
  return {
    message: `The header has 1 column; it looks separated by ${separators[other] ?? other}`,
    hint: `Write dataset: { file: …, delimiter: ${JSON.stringify(other)} }`,
  };
}

/** Where a row is written, found only once somebody asks. */
function createRowFinder(text: string, records: readonly (readonly string[])[]): (row: number) => TextRange {
  return (row) => {
    const line = lineOfRecord(text, records, row + 1);
    return lineRange(text, line);
  };
}

/** The line on which a record starts. Cells may hold line breaks, and empty lines count for nothing. */
function lineOfRecord(text: string, records: readonly (readonly string[])[], wanted: number): number {
  const lines = text.split("\n");
  let line = 1;
  for (let record = 0; ; record += 1) {
    while (line < lines.length && (lines[line - 1] ?? "").replace(/\r$/, "") === "") line += 1;
    if (record === wanted) return line;
    const breaks = (records[record] ?? []).reduce((sum, cell) => sum + cell.split("\n").length - 1, 0);
    line += 1 + breaks;
  }
}

function shortened(cell: string): string {
  return cell.length > 40 ? `${cell.slice(0, 40)}…` : cell;
}

function lineRange(text: string, line: number): TextRange {
  let offset = 0;
  for (let current = 1; current < line; current += 1) {
    const feed = text.indexOf("\n", offset);
    if (feed === -1) break;
    offset = feed + 1;
  }
  const end = text.indexOf("\n", offset);
  return { start: offset, end: end === -1 ? text.length : end };
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether a cell is written as JSON writes numbers, so that it can be read as one: `007` and `1,5` cannot. */
function isNumber(cell: string): boolean {
  return jsonNumber.test(cell);
}

/** A cell as its column is typed. The error completes a sentence that starts with the cell. */
function readCell(cell: string, type: ColumnType): Result<JsonValue, string> {
  if (type === "string") return success(cell);
  const written = cell.trim();
  switch (type) {
    case "number": {
      if (!isNumber(written)) return failure("is not a number");
      const value = Number(written);
      if (!Number.isFinite(value) || (/^-?\d+$/.test(written) && !Number.isSafeInteger(value))) {
        return failure("has more digits than a number can hold");
      }
      return success(value);
    }
    case "boolean": {
      const lower = written.toLowerCase();
      return lower === "true" || lower === "false" ? success(lower === "true") : failure("is not true or false");
    }
    case "json": {
      const parsed = attemptSync(() => parseOwnJson(written), messageOf);
      if (!parsed.success) return failure(`is not JSON: ${parsed.error}`);
      const limit = jsonLimitOf(parsed.data);
      return limit === null ? parsed : failure(`is ${limit}`);
    }
  }
}
