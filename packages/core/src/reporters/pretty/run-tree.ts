import type { RunResult, SuiteResult, TestResult } from "../../engine/run-result.js";
import type { ErrorCode } from "../../errors/kindlm-error.js";
import { failingAssertions } from "../failing-assertions.js";
import { maskFor } from "../case-mask.js";
import { describeHelp } from "../outside-help.js";
import { caseNames, countTests } from "./case-names.js";
import { drawTree, type TreeNode } from "./draw-tree.js";
import type { PrettyView } from "./pretty-view.js";

/** Larger suites show only what did not pass. */
const fullSuite = 12;

/** The tree of suites and cases, one line each. */
export function renderRunTree(result: RunResult, view: PrettyView): string[] {
  return drawTree({ text: "Run", children: result.suites.map((suite) => suiteNode(suite, view)) });
}

function suiteNode(suite: SuiteResult, view: PrettyView): TreeNode {
  const title = `${view.palette.bold(view.line(suite.name))} (${countTests(suite)})`;
  if (suite.status === "skipped") {
    const { error, diagnostics } = suite;
    const problems = diagnostics.filter((diagnostic) => diagnostic.severity === "error").map(({ message }) => message);
    return {
      text: `${title} — ${view.palette.yellow("skipped")} (${brokenReason[error.code] ?? "invalid config"})`,
      children: (problems.length > 0 ? problems : [error.message]).map((message) => ({
        text: `Error: ${view.line(message)}`,
      })),
    };
  }
  const nameOf = caseNames(suite);
  const isShort = suite.tests.length <= fullSuite || view.options.verbose;
  const shown = isShort
    ? suite.tests
    : suite.tests.filter((test) => test.status !== "passed" || test.fallback !== null || describeHelp(test).length > 0);
  const children = shown.map((test) => ({ text: caseLine(test, nameOf(test), view) }));
  const hidden = suite.tests.length - shown.length;
  if (hidden > 0) children.push({ text: view.palette.green(`${hidden} passed`) });
  return { text: title, children };
}

function caseLine(test: TestResult, name: string, view: PrettyView): string {
  const { palette } = view;
  const label = view.line(name);
  const room = Math.max(40, view.options.width - label.length - 24);
  const why = reasonOf(test, view, room);
  const suffix = why === "" ? "" : ` (${why})`;
  if (test.status === "skipped") return `${label}: ${palette.yellow("skipped")}${suffix}`;
  const runs = test.mixed ? ` — ${test.passes} of ${test.runs} runs passed (needs ${test.required})` : "";
  const allowed =
    test.status === "failed" && test.allowFailure !== null ? ` — allowed: ${view.line(test.allowFailure)}` : "";
  const status = { passed: palette.green, failed: palette.red, errored: palette.red }[test.status](test.status);
  const stoodIn = test.fallback === null ? "" : palette.yellow(` — answered by fallback ${view.line(test.fallback)}`);
  const help = describeHelp(test).map((text) => palette.yellow(` — ${text}`));
  return `${label}: ${status}${suffix}${runs}${allowed}${stoodIn}${help.join("")}`;
}

function reasonOf(test: TestResult, view: PrettyView, room: number): string {
  if (test.status === "passed") return "";
  if (test.status === "skipped") return view.short(test.reason, room);
  const mask = maskFor(test.assertions, (text) => text);
  if (test.status === "errored") {
    return view.short(mask(view.explain(test.error)[0]?.title ?? test.error.message), room);
  }
  const [first, ...others] = failingAssertions(test.assertions);
  if (first === undefined) return "";
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
