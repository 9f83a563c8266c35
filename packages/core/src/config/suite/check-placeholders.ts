import { didYouMean } from "../../values/nearest-name.js";
import { isTemplate, lookUp, placeholdersIn, type TemplateScope } from "../../values/template.js";
import type { DatasetRow } from "../resolved-config.js";
import { findingAt, type Findings } from "../source/finding.js";
import { report, type Section } from "../source/section.js";
import type { SourceText } from "../source/source-text.js";
import type { Path } from "../source/written.js";

/** A string that is filled in per case. */
export interface TemplateText {
  value: unknown;
  section: Section;
  path: Path;
  /** The file that holds the text, when it is not the config. */
  source?: SourceText;
}

type Values = Readonly<Record<string, unknown>>;

/** The names that a case knows: the variables, the columns of its row, and the row as a whole. */
export function caseScope(vars: Values, row: DatasetRow | null): TemplateScope {
  return { values: row === null ? vars : { ...vars, ...row.values, row: row.values } };
}

/** Reports every placeholder that has no value in some case of the test. `findings` are those of the test's suite. */
export function checkPlaceholders(
  texts: readonly TemplateText[],
  vars: Values,
  rows: readonly DatasetRow[] | null,
  findings: Findings,
): void {
  const outcomes = new Map<string, Absence | null>();
  for (const text of texts) {
    if (!isTemplate(text.value)) continue;
    for (const { name, path } of placeholdersIn(text.value)) {
      let absence = outcomes.get(name);
      if (absence === undefined) {
        absence = absenceOf(name, vars, rows);
        outcomes.set(name, absence);
      }
      if (absence !== null) place(text, path, name, absence, findings);
    }
  }
}

interface Absence {
  message: string;
  hint: string;
}

function absenceOf(name: string, vars: Values, rows: readonly DatasetRow[] | null): Absence | null {
  if (rows === null) return absenceIn(name, vars, null);
  const missing = rows.find((row) => !isPresent(name, vars, row));
  if (missing === undefined) return null;
  const isEverywhere = rows.every((row) => !isPresent(name, vars, row));
  const absence = absenceIn(name, vars, missing);
  if (isEverywhere || absence === null) return absence;
  return { ...absence, message: `{{${name}}} has no value in row "${missing.key}" of the dataset` };
}

function isPresent(name: string, vars: Values, row: DatasetRow): boolean {
  if (Object.hasOwn(row.values, name) || Object.hasOwn(vars, name)) return true;
  // The scope is built only for what is not a plain name; a dataset may have very many rows.
  return name.includes(".") ? lookUp(name, caseScope(vars, row)).success : name === "row";
}

function absenceIn(name: string, vars: Values, row: DatasetRow | null): Absence | null {
  const scope = caseScope(vars, row);
  const found = lookUp(name, scope);
  if (found.success) return null;
  return { message: `Unknown placeholder {{${name}}}`, hint: hintFor(name, found.error, Object.keys(scope.values)) };
}

export function hintFor(name: string, knownThere: readonly string[], known: readonly string[]): string {
  const root = name.split(".")[0] ?? name;
  if (root === "args") return "args holds the arguments of a tool call and is available only in tool responses";
  if (root === "state") return "state is available only in responses of simulated tools and in errors of faults";
  if (root === "row" && !known.includes("row")) return "row is available only in tests with a dataset";
  const nearest = didYouMean(name.split(".").at(-1) ?? name, knownThere) ?? didYouMean(name, known);
  if (nearest !== undefined) return nearest;
  const names = name.includes(".") && known.includes(root) ? knownThere : known;
  const shown = names.slice(0, 20).join(", ") + (names.length > 20 ? ", …" : "");
  return names.length > 0
    ? `Available: ${shown}. Write \\{{ for literal braces`
    : "Define it under vars or in a dataset, or write \\{{ for literal braces";
}

function place(text: TemplateText, path: Path, name: string, absence: Absence, findings: Findings): void {
  if (text.source === undefined) {
    report({ ...text.section, findings }, { path: [...text.path, ...path], ...absence });
    return;
  }
  const start = Math.max(0, placeholderOffset(text.source.text, name));
  const end = text.source.text.indexOf("}}", start) + 2;
  findings.add(findingAt(text.source, { start, end: Math.max(end, start + 1) }, absence));
}

function placeholderOffset(text: string, name: string): number {
  for (const match of text.matchAll(/\\\{\{|\{\{([^{}]*)\}\}/g)) if (match[1]?.trim() === name) return match.index;
  return -1;
}
