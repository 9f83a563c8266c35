import { attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import { failure, success, type Result } from "../result.js";
import type { TestFilters } from "./run-options.js";
import { didYouMean } from "../values/nearest-name.js";
import { capitalized } from "../values/capitalized.js";

export interface CaseFilter {
  takesSuite(name: string): boolean;
  takesTags(tags: readonly string[]): boolean;
  takesModel(id: string): boolean;
  takesCase(id: string): boolean;
  /** Those of the patterns that were asked for and have met no case so far. */
  unmet(): readonly string[];
}

/** The existing names, which distinguish an unknown name from a filter that leaves nothing. */
export interface FilterNames {
  suites: readonly string[];
  tags: readonly string[];
  models: readonly string[];
}

type CasePattern = (id: string) => boolean;

/**
 * Builds the filter of a run. Names that do not exist and patterns that do not compile are CONFIG_VALIDATION_ERRORs. `names`:
 * null if names may have been there once.
 */
export function createCaseFilter(filters: TestFilters, names: FilterNames | null): Result<CaseFilter> {
  for (const [kind, wanted, known] of [
    ["suite", filters.suites, names?.suites],
    ["tag", filters.tags, names?.tags],
    ["model", filters.models, names?.models],
  ] as const) {
    const unknown = known === undefined ? undefined : wanted?.find((name) => !known.includes(name));
    if (unknown !== undefined) return failure(unknownName(kind, unknown, known ?? []));
  }
  const taken = parsePatterns(filters.tests ?? []);
  if (!taken.success) return taken;
  const excluded = parsePatterns(filters.exclude ?? []);
  if (!excluded.success) return excluded;
  const [patterns, exclusions] = [taken.data, excluded.data];
  const wanted = filters.tests ?? [];
  const met = patterns.map(() => false);
  const meets = (id: string): boolean => {
    let isMet = false;
    for (const [index, matches] of patterns.entries()) {
      if (!matches(id)) continue;
      isMet = true;
      met[index] = true;
    }
    return isMet;
  };
  const only = filters.cases === undefined ? null : new Set(filters.cases);
  return success({
    takesSuite: (name) => isAmong(filters.suites, [name]),
    takesTags: (tags) => isAmong(filters.tags, tags),
    takesModel: (id) => isAmong(filters.models, [id]),
    takesCase: (id) =>
      (only === null || only.has(id)) &&
      (patterns.length === 0 || meets(id)) &&
      !exclusions.some((matches) => matches(id)),
    unmet: () => wanted.filter((_pattern, index) => met[index] !== true),
  });
}

/** Whether filters leave out anything at all. */
export function choosesCases(filters: TestFilters = {}): boolean {
  const { suites = [], tests = [], exclude = [], tags = [], cases = [], models = [] } = filters;
  return [suites, tests, exclude, tags, cases, models].some((wanted) => wanted.length > 0);
}

/** The patterns that cases are chosen by; null where more than their ids chooses. */
export function idPatternsOf(filters: TestFilters = {}): Pick<TestFilters, "tests" | "exclude"> | null {
  const { tests = [], exclude = [], tags = [], cases, models = [] } = filters;
  return tags.length + models.length > 0 || cases !== undefined ? null : { tests, exclude };
}

function isAmong(wanted: readonly string[] | undefined, present: readonly string[]): boolean {
  return wanted === undefined || wanted.length === 0 || present.some((name) => wanted.includes(name));
}

/** A pattern is a substring of the case id, or a `/regular expression/`. */
function parsePatterns(sources: readonly string[]): Result<readonly CasePattern[]> {
  const patterns: CasePattern[] = [];
  for (const source of sources) {
    const regex = /^\/(.+)\/([a-z]*)$/s.exec(source);
    if (regex === null) {
      patterns.push((id) => id.includes(source));
      continue;
    }
    const compiled = attemptSync(
      () => new RegExp(regex[1] ?? "", (regex[2] ?? "").replaceAll(/[gy]/g, "")),
      (cause) =>
        kindlmError(
          "CONFIG_VALIDATION_ERROR",
          `The pattern ${source} is not a regular expression: ${messageOf(cause)}`,
        ),
    );
    if (!compiled.success) return compiled;
    patterns.push((id) => compiled.data.test(id));
  }
  return success(patterns);
}

/** A pattern that is written wrong would otherwise leave out tests in silence. `known`: what would meet a case. */
export function unmetPatterns(patterns: readonly string[], known: () => readonly string[]): KindlmError {
  const message = `No case matches ${patterns.map((pattern) => `"${pattern}"`).join(", ")}`;
  const hint = `${hintFor(patterns[0] ?? "", known())}kindlm test --list shows all cases`;
  return kindlmError("CONFIG_VALIDATION_ERROR", message, {
    details: { diagnostics: [{ code: "CONFIG_VALIDATION_ERROR", severity: "error", message, hint }] },
  });
}

const mostListed = 20;

function listed(names: readonly string[]): string {
  const more = names.length - mostListed;
  return `${names.slice(0, mostListed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function hintFor(pattern: string, known: readonly string[]): string {
  if (known.some((name) => name.includes(pattern))) return "Other filters exclude the cases that match. ";
  const nearest = didYouMean(pattern, known);
  return nearest === undefined ? "" : `${nearest} `;
}

/** Where a name is set that filters can take. A model that no test runs on may still be defined. */
const setIn = {
  suite: "",
  tag: "",
  model: ". To add another one, name it in defaults.models, or in models of a suite or test",
} as const;

function unknownName(kind: keyof typeof setIn, name: string, known: readonly string[]) {
  const [longer, ...others] = known.filter((one) => one.includes(name));
  const only = longer !== undefined && others.length === 0 ? `Did you mean "${longer}"?` : undefined;
  const all = known.length > 0 ? `Available: ${listed(known)}${setIn[kind]}` : `The config has no ${kind}s`;
  const hint = didYouMean(name, known) ?? only ?? all;
  const message = `${capitalized(kind)} "${name}" not found`;
  return kindlmError("CONFIG_VALIDATION_ERROR", message, {
    details: { diagnostics: [{ code: "CONFIG_VALIDATION_ERROR", severity: "error", message, hint }] },
  });
}
