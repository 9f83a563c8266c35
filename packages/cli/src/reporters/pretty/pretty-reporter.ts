import { defineReporter, type RunResult, type TestResult } from "@kindlm/core";
import { findCauses, type ErrorCause } from "../../findings/find-causes.js";
import { findKinds, type FailureKind } from "../../findings/find-kinds.js";
import { untoldReasons } from "../../findings/untold-reasons.js";
import { inAscii } from "../../terminal/signs.js";
import { textWidth } from "../../terminal/text-width.js";
import type { ReportOptions } from "../report-options.js";
import { renderComparison } from "./comparison.js";
import { renderErrors, renderSkippedSuites } from "./errors.js";
import { renderFailures } from "./failures.js";
import { renderArms, renderModels, renderRouting } from "./models.js";
import { createPrettyView, type PrettyView } from "./pretty-view.js";
import { renderAllowed, renderFlaky, renderGates, renderSlow } from "./remarks.js";
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

/** The report for people. The summary comes last, where the eye is. */
export const prettyReporter = defineReporter<ReportOptions>({
  name: "pretty",
  summary: "The report for people: a tree of all tests, what failed and why, the summary",
  extension: "txt",
  format: "text",
  load: () =>
    Promise.resolve((result: RunResult, options: ReportOptions) => drawn(renderPretty(result, options), options)),
});

/** For stderr, when stdout belongs to another report: what went wrong, and the summary. No member of the family. */
export const briefReporter = defineReporter<ReportOptions>({
  name: "brief",
  summary: "Errors and the summary",
  extension: "txt",
  format: "text",
  load: () =>
    Promise.resolve((result: RunResult, options: ReportOptions) => drawn(renderBrief(result, options), options)),
});

async function* drawn(pieces: AsyncIterable<string>, { ascii }: ReportOptions): AsyncIterable<string> {
  for await (const piece of pieces) yield ascii === true ? inAscii(piece) : piece;
}

async function* renderPretty(result: RunResult, options: ReportOptions): AsyncIterable<string> {
  const view = createPrettyView(options);
  const kinds = await findKinds(result, options.redact);
  const causes = findCauses(result, options);
  yield `${(await renderRunTree(result, placesOf(kinds, causes), view)).join("\n")}\n`;
  if (options.verbose) yield* renderTrialDetails(result, view);
  yield* renderFailures(result, kinds, view);
  yield* renderErrors(result, causes, view);
  yield* renderSkippedSuites(result, view);
  if (options.verbose) yield* renderProviders(result, view);
  yield* renderFlaky(result, view);
  yield* renderAllowed(result, view);
  yield* renderSlow(result, view);
  yield* renderModels(result, view);
  yield* renderArms(result, view);
  yield* renderRouting(result, view);
  if (options.verbose) yield* renderRates(result, view);
  if (result.comparison !== undefined) {
    yield* renderComparison(result.comparison, view);
    if (isUngatedRegression(result)) {
      const text = "No gate limits regressions. To fail the run, set gates: { regressions: 0 }.";
      yield written(view.wrap("  ", view.palette.yellow(text)));
    }
  }
  yield* renderGates(result, view);
  yield* renderEnd(result, view);
  yield* renderHints(result, kinds, view);
}

async function* renderBrief(result: RunResult, options: ReportOptions): AsyncIterable<string> {
  const view = createPrettyView(options);
  yield* renderErrors(result, findCauses(result, options), view);
  yield* renderSkippedSuites(result, view);
  const selected = renderSelectionLine(result);
  if (selected !== null) yield written(view.wrap("", view.line(selected)));
  yield* renderVerdict(result, view);
}

function placesOf(kinds: readonly FailureKind[], causes: readonly ErrorCause[]): ReadonlyMap<TestResult, string> {
  const places = new Map<TestResult, string>();
  for (const { number, cases } of kinds) for (const { test } of cases) places.set(test, `kind ${number}`);
  for (const { number, cases } of causes) for (const test of cases) places.set(test, `cause ${number}`);
  return places;
}

/** The run is worse than its baseline, and may pass all the same. */
function isUngatedRegression({ comparison, gates }: RunResult): boolean {
  return comparison?.verdict === "regressed" && !gates.some(({ name }) => name === "regressions");
}

function* renderEnd(result: RunResult, view: PrettyView): Iterable<string> {
  const { palette } = view;
  const selected = renderSelectionLine(result);
  yield `\n${written(selected === null ? [] : view.wrap("", view.line(selected)))}`;
  yield written(renderTotals(result, view));
  for (const line of [renderProviderErrors(result), renderScoredLine(result)]) {
    if (line !== null) yield written(view.wrap("", palette.dim(view.line(line))));
  }
  if (result.run.interrupted) yield written(view.wrap("", palette.yellow("Interrupted: these results are partial.")));
  yield* renderVerdict(result, view);
}

function* renderVerdict(result: RunResult, view: PrettyView): Iterable<string> {
  const part = renderShardLine(result);
  if (part !== null) yield written(view.wrap("", view.asTyped(view.line(part))));
  const reasons = untoldReasons(result);
  if (reasons.length > 0) {
    const why = view.line(`Why it ${result.verdict}: ${reasons.join("; ")}`);
    yield written(view.wrap("", view.asTyped(why)));
  }
  yield written(view.wrap("", renderSummaryLine(result, view)));
  yield `Exit code: ${result.exitCode}\n`;
}

const hintGap = "       ";

/** What to type next, on one line: as many hints as there is room for. */
function* renderHints({ run, summary }: RunResult, kinds: readonly FailureKind[], view: PrettyView): Iterable<string> {
  if (summary.failed + summary.errored === 0 && !run.interrupted) return;
  const { palette, columns } = view;
  const again = run.interrupted ? "kindlm test --resume" : "kindlm test --rerun-failed";
  const hints = [
    ...(run.scored === undefined ? [["again", again]] : []),
    ...(kinds.length > 0 ? [["closer", "kindlm show 1"]] : []),
    ["report", "kindlm open"],
  ].map(([label = "", words = ""]) => ({ label, words: view.command(words) }));
  const lines: string[] = [];
  for (const { label, words } of hints) {
    const hint = `${palette.dim(label)}  ${words}`;
    const last = lines.at(-1);
    if (last === undefined) lines.push(...view.wrap(`  ${palette.dim(label)}  `, words));
    else if (textWidth(last) + hintGap.length + textWidth(hint) <= columns)
      lines[lines.length - 1] = last + hintGap + hint;
  }
  yield written(lines);
}

function written(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
