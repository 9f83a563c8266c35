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
import { failingAssertions, maskFor, plural } from "@kindlm/core/program";
import { digestDiagnostics } from "../../errors/digest-diagnostics.js";
import { renderExecution } from "../render-execution.js";
import { drawTree, type TreeNode } from "./draw-tree.js";
import type { PrettyView } from "./pretty-view.js";

/** Larger suites show only what did not pass. */
const fullSuite = 12;
/** The rest of the report has more of them. */
const mostReasons = 5;

/** The tree of suites and cases, one line each. */
export async function renderRunTree(result: RunResult, view: PrettyView): Promise<string[]> {
  const children: TreeNode[] = [];
  // One case after the other keeps memory flat.
  for (const suite of result.suites) children.push(await suiteNode(suite, result, view));
  return drawTree({ text: "Run", children });
}

async function suiteNode(suite: SuiteResult, result: RunResult, view: PrettyView): Promise<TreeNode> {
  const title = `${view.palette.bold(view.line(suite.name))} (${countTests(suite)})`;
  if (suite.status === "skipped") {
    const { error, diagnostics } = suite;
    return {
      text: `${title} — ${view.palette.yellow("skipped")} (${brokenReason[error.code] ?? "invalid config"})`,
      children: whySkipped(error, diagnostics).map((text) => ({ text: view.line(text) })),
    };
  }
  const nameOf = caseNames(suite);
  const isShort = suite.tests.length <= fullSuite || view.options.verbose;
  const shown = isShort ? suite.tests : suite.tests.filter((test) => test.status !== "passed" || hadHelp(test));
  const children: TreeNode[] = [];
  for (const test of shown) {
    // Only a failure is explained by its assertions, so no other trial is read.
    // One case after the other keeps memory flat.
    const decisive = test.status === "failed" ? await readDecisiveTrial(result, test) : null;
    children.push({ text: caseLine(test, decisive?.assertions ?? [], nameOf(test), view) });
  }
  const hidden = suite.tests.length - shown.length;
  if (hidden > 0) children.push({ text: view.palette.green(`${hidden} passed`) });
  return { text: title, children };
}

function hadHelp(test: TestResult): boolean {
  const { fallback, help } = renderExecution(test);
  return fallback !== null || help.length > 0;
}

/** A line per kind of problem; the rest of the report has the places. */
function whySkipped(error: KindlmError, diagnostics: readonly Diagnostic[]): readonly string[] {
  const { shown, tally } = digestDiagnostics(diagnostics.filter(({ severity }) => severity === "error"));
  if (shown.length === 0) return [`Error: ${error.message}`];
  const lines = shown.slice(0, mostReasons).map(({ message, repeats }) => {
    const times = repeats === undefined ? "" : ` (${(repeats.times + 1).toLocaleString("en-US")} times)`;
    return `Error: ${message}${times}`;
  });
  const hidden = (tally?.kinds ?? shown.length) - lines.length;
  return hidden === 0 ? lines : [...lines, `… and ${plural(hidden, "more kind")}`];
}

function caseLine(test: TestResult, assertions: readonly AssertionResult[], name: string, view: PrettyView): string {
  const { palette } = view;
  const label = view.line(name);
  const room = Math.max(40, view.options.width - label.length - 24);
  const why = reasonOf(test, assertions, view, room);
  const suffix = why === "" ? "" : ` (${why})`;
  if (test.status === "skipped") return `${label}: ${palette.yellow("skipped")}${suffix}`;
  const { trials, fallback, help } = renderExecution(test);
  const allowed =
    test.status === "failed" && test.allowFailure !== null ? ` — allowed: ${view.line(test.allowFailure)}` : "";
  const status = { passed: palette.green, failed: palette.red, errored: palette.red }[test.status](test.status);
  const answeredBy = fallback === null ? [] : [`answered by fallback ${view.line(fallback)}`];
  const helped = [...answeredBy, ...help].map((text) => palette.yellow(` — ${text}`)).join("");
  return `${label}: ${status}${suffix}${trials === "" ? "" : ` — ${trials}`}${allowed}${helped}`;
}

function reasonOf(test: TestResult, assertions: readonly AssertionResult[], view: PrettyView, room: number): string {
  if (test.status === "passed") return "";
  if (test.status === "skipped") return view.short(test.reason, room);
  if (test.status === "errored") return view.short(view.explain(test.error)[0]?.title ?? test.error.message, room);
  const [first, ...others] = failingAssertions(assertions);
  if (first === undefined) return "";
  const mask = maskFor(assertions, (text) => text);
  const more = others.length > 0 ? ` and ${others.length} more` : "";
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
  const prefix = `${suite.name}/`;
  return (test) => {
    if (counts.get(test.name) === 1) return test.name;
    return test.id.startsWith(prefix) ? test.id.slice(prefix.length) : test.id;
  };
}

/** `3 tests`, or `3 tests, 9 cases` where models and rows multiply them. */
function countTests(suite: SuiteResult): string {
  const tests = new Set(suite.tests.map((test) => test.name)).size;
  const cases = suite.tests.length;
  return cases === tests ? plural(tests, "test") : `${plural(tests, "test")}, ${plural(cases, "case")}`;
}
