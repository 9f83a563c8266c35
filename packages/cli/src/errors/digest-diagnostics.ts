import type { Diagnostic, SourcePosition } from "@kindlm/core";

/** The most diagnostics that a report shows. */
export interface DigestOptions {
  /** Every one by itself, equal ones too. */
  all?: boolean;
  /** What shows every one: a command, or an option to add. */
  showAll?: string;
}

/** What is added to a diagnostic that speaks for equal ones. */
export interface Repeats {
  /** How many more there are. */
  times: number;
  /** Where they are: each place once, and only places other than its own. */
  places: readonly SourcePosition[];
}

/** A diagnostic with the equal ones that it speaks for; without `repeats` it is the only one of its kind. */
export type DigestedDiagnostic = Diagnostic & { repeats?: Repeats };

/** What there is in all, and how much of it is left out. A kind is everything that is equal. */
export interface DiagnosticTally {
  errors: number;
  warnings: number;
  kinds: number;
  /** The files with a place of at least one. */
  files: readonly string[];
  leftOut: { errors: number; warnings: number; kinds: number };
}

export interface DiagnosticDigest<T extends Diagnostic> {
  /** In their order. */
  shown: readonly (T & { repeats?: Repeats })[];
  /** Null if the shown ones are few and speak for themselves alone. */
  tally: DiagnosticTally | null;
}

interface Kind<T extends Diagnostic> {
  first: T;
  others: T[];
}

/** More would hide the first ones. */
const mostShown = 20;

/**
 * The diagnostics that a report shows: equal ones once, and at most 20 kinds, errors before warnings. Two are equal if they
 * say the same about two places. What they say of the place itself makes no difference: the name of the place's suite and
 * test, and the number of a line.
 */
export function digestDiagnostics<T extends Diagnostic>(
  diagnostics: readonly T[],
  { all = false }: DigestOptions = {},
): DiagnosticDigest<T> {
  const kinds = kindsOf(diagnostics);
  const byWeight = [...kinds.filter(isOfErrors), ...kinds.filter((kind) => !isOfErrors(kind))];
  const leftOut = all ? [] : byWeight.slice(mostShown);
  const hidden = new Set(leftOut);
  const shown = all ? diagnostics : kinds.filter((kind) => !hidden.has(kind)).map(spokesman);
  if (shown.length === diagnostics.length && shown.length <= mostShown) return { shown, tally: null };
  return { shown, tally: { ...countsOf(kinds), files: filesOf(diagnostics), leftOut: countsOf(leftOut) } };
}

function kindsOf<T extends Diagnostic>(diagnostics: readonly T[]): readonly Kind<T>[] {
  const kinds = new Map<string, Kind<T>>();
  for (const diagnostic of diagnostics) {
    const key = keyOf(diagnostic);
    const known = kinds.get(key);
    if (known === undefined) kinds.set(key, { first: diagnostic, others: [] });
    else known.others.push(diagnostic);
  }
  return [...kinds.values()];
}

function keyOf({ code, severity, message, hint = "", suite, test }: Diagnostic): string {
  let words = `${code}\n${severity}\n${message}\n${hint}`.replaceAll(/\b(line|column|position) \d+/g, "$1");
  if (suite !== undefined) words = words.replaceAll(`uite "${suite}"`, "uite");
  if (test !== undefined) words = words.replaceAll(`est "${test}"`, "est");
  return words;
}

function spokesman<T extends Diagnostic>({ first, others }: Kind<T>): T & { repeats?: Repeats } {
  if (others.length === 0) return first;
  const places = new Map<string, SourcePosition>();
  for (const { position } of others) if (position !== undefined) places.set(placeKey(position), position);
  if (first.position !== undefined) places.delete(placeKey(first.position));
  return { ...first, repeats: { times: others.length, places: [...places.values()] } };
}

function placeKey({ file, line, column }: SourcePosition): string {
  return `${file}:${line}:${column}`;
}

function countsOf<T extends Diagnostic>(kinds: readonly Kind<T>[]): DiagnosticTally["leftOut"] {
  const counts = { errors: 0, warnings: 0, kinds: kinds.length };
  for (const kind of kinds) counts[isOfErrors(kind) ? "errors" : "warnings"] += 1 + kind.others.length;
  return counts;
}

function isOfErrors<T extends Diagnostic>({ first }: Kind<T>): boolean {
  return first.severity === "error";
}

function filesOf(diagnostics: readonly Diagnostic[]): readonly string[] {
  return [...new Set(diagnostics.flatMap(({ position }) => (position === undefined ? [] : [position.file])))];
}
