import {
  type AssertionResult,
  type Diagnostic,
  type ErrorCode,
  type KindlmError,
  readDecisiveTrial,
  type RunResult,
  type SuiteResult,
  type TestResult,
} from "@kindlm/core";
import { failingAssertions, maskFor, plural, withCounts } from "@kindlm/core/program";
import { digestDiagnostics } from "../../errors/digest-diagnostics.js";
import { fitId, textWidth } from "../../terminal/text-width.js";
import { renderExecution } from "../render-execution.js";
import { drawTree, type TreeNode } from "./draw-tree.js";
import type { PrettyView } from "./pretty-view.js";
import { alignSuites, toSuiteRow } from "./suite-rows.js";

/** A run with more cases shows only those that did not pass, and of each suite so many. */
const fullRun = 20;
const mostCases = 10;
/** The rest of the report has more of them. */
const mostReasons = 5;

/** Where the report explains a case: `kind 1`, `cause 2`. */
export type Places = ReadonlyMap<TestResult, string>;

/** The tree of suites and cases, with the figures of each suite. */
export async function renderRunTree(result: RunResult, places: Places, view: PrettyView): Promise<string[]> {
  const isShort = view.options.verbose || result.suites.reduce((sum, { tests }) => sum + tests.length, 0) <= fullRun;
  const titles = alignSuites(
    result.suites.map((suite) => toSuiteRow(suite, titleOf(suite), view)),
    view,
  );
  const children: TreeNode[] = [];
  for (const [index, suite] of result.suites.entries()) {
    const text = titles[index] ?? "";
    // One case after the other keeps memory flat.
    if (suite.status === "skipped") children.push({ text, children: skippedLines(suite, view) });
    else
      children.push({ text, children: isShort ? await allCases(suite, result, view) : openCases(suite, places, view) });
  }
  return drawTree({ text: "Run", children }, view.columns);
}

function titleOf(suite: SuiteResult): string {
  if (suite.status !== "skipped") return `(${countTests(suite)})`;
  return `(${countTests(suite)}) — skipped (${brokenReason[suite.error.code] ?? "invalid config"})`;
}

function skippedLines(suite: Extract<SuiteResult, { status: "skipped" }>, view: PrettyView): TreeNode[] {
  return whySkipped(suite.error, suite.diagnostics).map((text) => ({ text: view.line(text) }));
}

/** Each case, with why it did not pass. */
async function allCases(suite: SuiteResult, result: RunResult, view: PrettyView): Promise<TreeNode[]> {
  const nameOf = caseNames(suite);
  const nodes: TreeNode[] = [];
  for (const test of suite.tests) {
    // Only a failure is explained by its assertions, so no other trial is read.
    const decisive = test.status === "failed" ? await readDecisiveTrial(result, test) : null;
    nodes.push({ text: caseLine(test, decisive?.assertions ?? [], nameOf(test), view) });
  }
  return nodes;
}

interface Numbered {
  test: TestResult;
  /** In its suite. */
  number: number;
}

/** The first cases that failed or errored, where the report explains them, then others that are not plainly passed. */
function openCases(suite: SuiteResult, places: Places, view: PrettyView): TreeNode[] {
  const open: Numbered[] = [];
  const others: Numbered[] = [];
  let all = 0;
  let number = 0;
  // Only those that are shown are kept: there may be very many.
  for (const test of suite.tests) {
    const isOpen = test.status === "failed" || test.status === "errored";
    const kept = isOpen ? open : others;
    number += 1;
    if (!isOpen && test.status !== "skipped" && !hadHelp(test)) continue;
    all += 1;
    if (kept.length < mostCases) kept.push({ test, number });
  }
  const chosen = [...open, ...others].slice(0, mostCases).toSorted((a, b) => a.number - b.number);
  const nodes = chosen.map(({ test }): TreeNode => {
    const place = places.get(test);
    const name = nameInSuite(suite, test);
    return { text: place === undefined ? caseLine(test, [], name, view) : placedLine(test, name, place, view) };
  });
  const hidden = all - chosen.length;
  return hidden > 0 ? [...nodes, { text: withCounts`… and ${hidden} more` }] : nodes;
}

function placedLine(test: TestResult, name: string, place: string, view: PrettyView): string {
  const suffix = ` (${place})${allowedText(test, view)}`;
  const label = fitId(view.line(name), view.columns - branchColumns - textWidth(`: ${test.status}${suffix}`));
  return `${label}: ${statusWord(test, view)}${suffix}`;
}

const branchColumns = 8;
/** What is shorter says nothing; the blocks below the tree have the whole reason. */
const leastReason = 16;

function hadHelp(test: TestResult): boolean {
  const { fallback, help } = renderExecution(test);
  return fallback !== null || help.length > 0;
}

/** A line per kind of problem; the rest of the report has the places. */
function whySkipped(error: KindlmError, diagnostics: readonly Diagnostic[]): readonly string[] {
  const { shown, tally } = digestDiagnostics(diagnostics.filter(({ severity }) => severity === "error"));
  if (shown.length === 0) return [`Error: ${error.message}`];
  const lines = shown.slice(0, mostReasons).map(({ message, repeats }) => {
    const times = repeats === undefined ? "" : withCounts` (${repeats.times + 1} times)`;
    return `Error: ${message}${times}`;
  });
  const hidden = (tally?.kinds ?? shown.length) - lines.length;
  return hidden === 0 ? lines : [...lines, `… and ${plural(hidden, "more kind")}`];
}

function caseLine(test: TestResult, assertions: readonly AssertionResult[], name: string, view: PrettyView): string {
  const { palette } = view;
  const status = statusWord(test, view);
  const room = view.columns - branchColumns - textWidth(`: ${status}`);
  const label = fitId(view.line(name), Math.max(12, room));
  const left = room - textWidth(label) - 3;
  // Nothing else says why a case was skipped.
  const wanted = test.status === "skipped" ? Math.max(30, left) : left;
  const why = wanted < leastReason ? "" : reasonOf(test, assertions, view, wanted);
  const suffix = why === "" ? "" : ` (${why})`;
  if (test.status === "skipped") return `${label}: ${status}${suffix}`;
  const { trials, fallback, help } = renderExecution(test);
  const answeredBy = fallback === null ? [] : [`answered by fallback ${view.line(fallback)}`];
  const helped = [...answeredBy, ...help].map((text) => palette.yellow(` — ${text}`)).join("");
  return `${label}: ${status}${suffix}${trials === "" ? "" : ` — ${trials}`}${allowedText(test, view)}${helped}`;
}

function allowedText(test: TestResult, view: PrettyView): string {
  return test.status === "failed" && test.allowFailure !== null ? ` — allowed: ${view.line(test.allowFailure)}` : "";
}

function statusWord({ status }: TestResult, { palette }: PrettyView): string {
  return { passed: palette.green, failed: palette.red, errored: palette.magenta, skipped: palette.dim }[status](status);
}

function reasonOf(test: TestResult, assertions: readonly AssertionResult[], view: PrettyView, room: number): string {
  if (test.status === "passed") return "";
  if (test.status === "skipped") return view.short(test.reason, room);
  if (test.status === "errored") return view.short(view.explain(test.error)[0]?.title ?? test.error.message, room);
  const [first, ...others] = failingAssertions(assertions);
  if (first === undefined) return "";
  const mask = maskFor(assertions, (text) => text);
  const more = others.length > 0 ? withCounts` and ${others.length} more` : "";
  return `${view.short(mask(first.message), room - more.length)}${more}`;
}

/** Why a suite could not run, in three words. */
const brokenReason: { [C in ErrorCode]?: string } = {
  CONFIG_PARSE_ERROR: "invalid YAML",
  CONFIG_FILE_REF_ERROR: "invalid config reference",
  SCHEMA_FILE_ERROR: "invalid schema file",
  PROVIDER_NOT_FOUND: "unknown provider",
};

/** Names the cases of a suite: by the test's name if that is enough, else by their ID. */
function caseNames(suite: SuiteResult): (test: TestResult) => string {
  const counts = new Map<string, number>();
  for (const test of suite.tests) counts.set(test.name, (counts.get(test.name) ?? 0) + 1);
  return (test) => (counts.get(test.name) === 1 ? test.name : nameInSuite(suite, test));
}

function nameInSuite({ name }: SuiteResult, { id }: TestResult): string {
  return id.startsWith(`${name}/`) ? id.slice(name.length + 1) : id;
}

/** `3 tests`, or `9 cases` where models and rows multiply them. */
function countTests(suite: SuiteResult): string {
  const names = new Set<string>();
  for (const { name } of suite.tests) names.add(name);
  const cases = suite.tests.length;
  return cases === names.size ? plural(cases, "test") : plural(cases, "case");
}
