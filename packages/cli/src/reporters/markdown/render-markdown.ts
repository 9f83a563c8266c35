import { type KindlmError, readDecisiveTrial, type RunResult } from "@kindlm/core";
import { plural, renderDuration } from "@kindlm/core/program";
import { explainDigested } from "../../errors/explain-error.js";
import type { ReportOptions } from "../report-options.js";
import { groupErrors } from "../group-errors.js";
import { renderComparedSuites } from "./compared-suites.js";
import { renderFailedCase } from "./failed-case.js";
import { htmlCode, inlineCode } from "./untrusted.js";
import { percent } from "../../terminal/percent.js";

/** A comment of GitHub takes 65,536 characters; some are kept free for the words that say what was left out. */
const mostCharacters = 64_800;

export async function* renderMarkdown(result: RunResult, options: ReportOptions): AsyncIterable<string> {
  let left = mostCharacters;
  let leftOut = 0;
  for await (const section of sectionsOf(result, options)) {
    left -= section.length;
    // Once something is left out, nothing that comes after it is shown: it would be under the wrong heading.
    if (left < 0) leftOut += 1;
    if (leftOut === 0) yield section;
  }
  if (leftOut > 0) yield `\n${plural(leftOut, "more part")} of this report would not fit in a comment.\n`;
}

async function* sectionsOf(result: RunResult, options: ReportOptions): AsyncIterable<string> {
  yield renderHead(result, options);
  if (result.comparison !== undefined) yield* renderComparedSuites(result.comparison, options);
  if (result.gates.length > 0) yield renderGates(result, options);
  yield* renderFailed(result, options);
  yield* renderErrored(result, options);
  yield* renderSkippedSuites(result, options);
}

function renderHead(result: RunResult, { redact }: ReportOptions): string {
  const { summary, run, verdict, reasons } = result;
  const counts = `${summary.passed} passed, ${summary.failed} failed, ${summary.errored} errored, ${summary.skipped} skipped`;
  const rate = summary.passRate === null ? "unknown" : percent(summary.passRate);
  const range =
    summary.interval === null
      ? ""
      : ` (95% interval ${percent(summary.interval[0])} to ${percent(summary.interval[1])})`;
  const cost = summary.costUsd === null ? "unknown" : `$${summary.costUsd.toFixed(4)}`;
  return [
    `## ${verdict === "passed" ? "✅" : "❌"} KindLM: ${verdict}`,
    "",
    `**${counts}**`,
    "",
    ...reasons.flatMap((reason) => [`- ${inlineCode(redact(reason))}`]),
    ...(reasons.length === 0 ? [] : [""]),
    `Pass rate ${rate}${range} · cost ${cost} · ${renderDuration(run.durationMs)} · ${plural(summary.requests, "request")}`,
    ...(run.interrupted ? ["", "Interrupted: these results are partial."] : []),
    "",
  ].join("\n");
}

function renderGates({ gates }: RunResult, { redact }: ReportOptions): string {
  const rows = gates.map((gate) => {
    const mark = gate.evaluated === false ? "–" : gate.pass ? "✅" : "❌";
    return `| ${mark} | ${htmlCode(redact(gate.name))} | ${htmlCode(redact(gate.message))} |`;
  });
  return ["", "### Gates", "", "| | gate | found |", "|---|---|---|", ...rows, ""].join("\n");
}

async function* renderFailed(result: RunResult, options: ReportOptions): AsyncIterable<string> {
  const failed = result.suites.flatMap(({ tests }) => tests.filter((test) => test.status === "failed"));
  if (failed.length === 0) return;
  yield "\n### Failed\n\n";
  // One case after the other keeps memory flat.
  for (const test of failed) yield renderFailedCase(test, await readDecisiveTrial(result, test), options);
}

/** Errored cases grouped by cause. */
function* renderErrored(result: RunResult, options: ReportOptions): Iterable<string> {
  const groups = groupErrors(result.suites);
  if (groups.length === 0) return;
  yield "\n### Errored\n\n";
  for (const { error, cases } of groups) {
    const names = cases.slice(0, mostNames).map(({ id }) => inlineCode(options.redact(id)));
    const more = cases.length > mostNames ? ` and ${cases.length - mostNames} more` : "";
    yield `- ${explained(error, options)}\n  ${plural(cases.length, "case")}: ${names.join(", ")}${more}\n`;
  }
}

function* renderSkippedSuites(result: RunResult, options: ReportOptions): Iterable<string> {
  const skipped = result.suites.filter((suite) => suite.status === "skipped");
  if (skipped.length === 0) return;
  yield "\n### Skipped suites\n\n";
  for (const suite of skipped)
    yield `- ${inlineCode(options.redact(suite.name))}: ${explained(suite.error, options)}\n`;
}

const mostNames = 10;

function explained(error: KindlmError, options: ReportOptions): string {
  const lines = explainDigested(error, options).flatMap(({ title, fix }) => [
    title,
    ...(fix === undefined ? [] : [fix]),
  ]);
  return lines.map((line) => inlineCode(options.redact(line))).join(" ");
}
