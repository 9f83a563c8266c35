import { defineReporter, type RunResult } from "@kindlm/core";
import type { ReportOptions } from "../report-options.js";
import { renderComparison } from "./comparison.js";
import { renderErrors, renderSkippedSuites } from "./errors.js";
import { renderFailures } from "./failures.js";
import { renderFlaky } from "./flaky.js";
import { renderGates } from "./gates.js";
import { renderModels } from "./models.js";
import { createPrettyView, type PrettyView } from "./pretty-view.js";
import { renderRates } from "./rates.js";
import { renderProviderErrors, renderProviders } from "./providers.js";
import { renderRerunCommand } from "./rerun-command.js";
import { renderRunTree } from "./run-tree.js";
import { renderScoredLine, renderShardLine, renderSummaryLine, renderTotals } from "./totals.js";
import { renderTrialDetails } from "./trial-details.js";

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
  yield `\n${palette.dim(renderTotals(result))}\n`;
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

function* renderEnd(result: RunResult, { palette, line }: PrettyView): Iterable<string> {
  const part = renderShardLine(result);
  if (part !== null) yield `${line(part)}\n`;
  if (result.reasons.length > 0) yield `${line(`Why it ${result.verdict}: ${result.reasons.join("; ")}`)}\n`;
  const paint = result.exitCode === 0 ? palette.green : palette.red;
  yield `${palette.bold(paint(line(renderSummaryLine(result))))}\n`;
  yield `Exit code: ${result.exitCode}\n`;
}
