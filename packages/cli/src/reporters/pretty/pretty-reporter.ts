import { defineReporter, type RunResult, type QuarantinedTest, type TestResult } from "@kindlm/core";
import type { ReportOptions } from "../report-options.js";
import { renderComparison } from "./comparison.js";
import { renderErrors, renderSkippedSuites } from "./errors.js";
import { renderFailures } from "./failures.js";
import { renderModels } from "./models.js";
import { createPrettyView, type PrettyView } from "./pretty-view.js";
import { renderRunTree } from "./run-tree.js";
import {
  renderProviderErrors,
  renderProviders,
  renderRates,
  renderScoredLine,
  renderSelectionLine,
  renderShardLine,
  renderSummaryLine,
  renderTotals,
} from "./totals.js";
import { renderTrialDetails } from "./trial-details.js";
import { flakyCases, plural, quarantinedTests, visibleLine } from "@kindlm/core/program";

/** The report for people. The summary comes last, where the eye is. */
export const prettyReporter = defineReporter<ReportOptions>({
  name: "pretty",
  summary: "The report for people: a tree of all tests, what failed and why, the summary",
  extension: "txt",
  format: "text",
  load: () => Promise.resolve(renderPretty),
});

async function* renderPretty(result: RunResult, options: ReportOptions): AsyncIterable<string> {
  const view = createPrettyView(options);
  const { palette } = view;
  yield `${(await renderRunTree(result, view)).join("\n")}\n`;
  if (options.verbose) yield* renderTrialDetails(result, view);
  yield* renderFailures(result, view);
  yield* renderErrors(result, view);
  yield* renderSkippedSuites(result, view);
  if (options.verbose) yield* renderProviders(result, view);
  yield* renderFlaky(result, view);
  yield* renderModels(result, view);
  yield* renderRates(result, view);
  if (result.comparison !== undefined) {
    yield* renderComparison(result.comparison, view);
    if (isUngatedRegression(result)) {
      yield `  ${palette.yellow("No gate limits regressions. To fail the run, set gates: { regressions: 0 }.")}\n`;
    }
  }
  yield* renderGates(result, view);
  yield `\n${palette.dim(view.asTyped(renderTotals(result)))}\n`;
  const failed = renderProviderErrors(result);
  if (failed !== null) yield `${palette.dim(view.line(failed))}\n`;
  const scored = renderScoredLine(result);
  if (scored !== null) yield `${palette.dim(view.line(scored))}\n`;
  const again = result.run.scored === undefined ? renderRerunCommand(result, options.command ?? "kindlm test") : null;
  if (again !== null) yield `${palette.dim(`Rerun failed cases: ${view.line(again)}`)}\n`;
  if (result.run.interrupted) yield `${palette.yellow("Interrupted: these results are partial.")}\n`;
  yield "\n";
  yield* renderEnd(result, view);
}

/** The run is worse than its baseline, and may pass all the same. */
function isUngatedRegression({ comparison, gates }: RunResult): boolean {
  return comparison?.verdict === "regressed" && !gates.some(({ name }) => name === "regressions");
}

/** For stderr, when stdout belongs to another report: what went wrong, and the summary. No member of the family. */
export const briefReporter = defineReporter<ReportOptions>({
  name: "brief",
  summary: "Errors and the summary",
  extension: "txt",
  format: "text",
  load: () => Promise.resolve(renderBrief),
});

async function* renderBrief(result: RunResult, options: ReportOptions): AsyncIterable<string> {
  const view = createPrettyView(options);
  yield* renderErrors(result, view);
  yield* renderSkippedSuites(result, view);
  yield* renderEnd(result, view);
}

function* renderEnd(result: RunResult, { palette, line, asTyped }: PrettyView): Iterable<string> {
  const part = renderShardLine(result);
  if (part !== null) yield `${line(asTyped(part))}\n`;
  const selected = renderSelectionLine(result);
  if (selected !== null) yield `${line(selected)}\n`;
  if (result.reasons.length > 0) yield `${line(asTyped(`Why it ${result.verdict}: ${result.reasons.join("; ")}`))}\n`;
  const paint = result.exitCode === 0 ? palette.green : palette.red;
  yield `${palette.bold(paint(line(renderSummaryLine(result))))}\n`;
  yield `Exit code: ${result.exitCode}\n`;
}

const mostFlaky = 20;

/** The cases whose trials came out differently, and the tests whose failures do not count. */
function* renderFlaky({ suites }: RunResult, view: PrettyView): Iterable<string> {
  const { palette } = view;
  const flaky = flakyCases(suites);
  if (flaky.length > 0) {
    yield `\n${palette.bold("Flaky")}\n`;
    for (const { id, passes, counted, required, runs, status } of shownOf(flaky, view)) {
      const needed = `needs ${required} of ${runs}: ${status}`;
      yield `  ${palette.yellow("~")} ${view.line(id)}: ${passes} of ${counted} passed (${needed})\n`;
    }
    yield* renderRest(flaky.length, "flaky case", view);
  }
  const quarantined = quarantinedTests(suites);
  if (quarantined.length === 0) return;
  yield `\n${palette.bold("Allowed to fail")}\n`;
  for (const one of shownOf(quarantined, view)) {
    yield `  ${renderQuarantined(one, view)} — ${view.line(one.reason)}\n`;
  }
  yield* renderRest(quarantined.length, "test", view);
}

function renderQuarantined({ suite, test, cases, failed, errored, passesAgain }: QuarantinedTest, view: PrettyView) {
  const { palette } = view;
  const name = view.line(`${suite}/${test}`);
  if (passesAgain) return `${palette.green("✓")} ${name}: passes again: remove allow_failure`;
  const counts = [...(failed > 0 ? [`${failed} failed`] : []), ...(errored > 0 ? [`${errored} errored`] : [])];
  const what = counts.length === 0 ? "not in every trial" : counts.join(", ");
  return `${palette.yellow("!")} ${name}: ${cases === 1 ? what : `${what} of ${plural(cases, "case")}`}`;
}

function shownOf<T>(all: readonly T[], { options }: PrettyView): readonly T[] {
  return options.verbose ? all : all.slice(0, mostFlaky);
}

function* renderRest(total: number, what: string, { options }: PrettyView): Iterable<string> {
  const hidden = total - mostFlaky;
  if (!options.verbose && hidden > 0) yield `  … and ${plural(hidden, `more ${what}`)}; --verbose shows all of them\n`;
}

/** One line per gate, those of the run first. */
function* renderGates({ gates }: RunResult, view: PrettyView): Iterable<string> {
  if (gates.length === 0) return;
  const { palette } = view;
  yield `\n${palette.bold("Gates")}\n`;
  for (const gate of gates) {
    const mark = gate.evaluated === false ? palette.dim("–") : gate.pass ? palette.green("✓") : palette.red("✗");
    yield `  ${mark} ${view.line(gate.message)}\n`;
  }
}

const mostPatterns = 8;

/** The command that runs again what failed or errored; null when nothing did. */
function renderRerunCommand(result: RunResult, command: string): string | null {
  const all = result.suites.flatMap((suite) => suite.tests);
  const again = all.filter(isOpen);
  if (again.length === 0) return null;
  if (again.length <= mostPatterns) {
    const settled = all.filter((test) => !isOpen(test)).map((test) => test.id);
    return [command, ...flags("-t", again, (test) => patternOf(test.id, settled))].join(" ");
  }
  const byTest = flags("-t", again, (test) => `${test.suite}/${test.name}`);
  if (byTest.length <= mostPatterns) return [command, ...byTest].join(" ");
  return [command, ...flags("--suite", again, (test) => test.suite)].join(" ");
}

function isOpen({ status }: TestResult): boolean {
  return status === "failed" || status === "errored";
}

/** The id itself, unless it occurs within another case's ID, or cannot be copied from a terminal. */
function patternOf(id: string, settled: readonly string[]): string {
  const isPlain = !id.startsWith("/") && visibleLine(id) === id && !settled.some((other) => other.includes(id));
  return isPlain ? id : `/^${visibleLine(id.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))}$/`;
}

function flags(flag: string, tests: readonly TestResult[], valueOf: (test: TestResult) => string): string[] {
  return [...new Set(tests.map(valueOf))].map((value) => `${flag} ${quoted(value)}`);
}

/** Quoted for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
