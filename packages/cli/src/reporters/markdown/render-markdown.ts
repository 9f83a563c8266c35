import {
  type KindlmError,
  readDecisiveTrial,
  type RunResult,
  type RenderOptions,
  type TestResult,
  type TrialResult,
  type TrialToolCall,
  type ChangedCase,
  type ComparedSuite,
  type RunComparison,
} from "@kindlm/core";
import { diffLists, plural, renderDuration, failingAssertions, maskFor, visibleLine } from "@kindlm/core/program";
import { explainDigested } from "../../errors/explain-error.js";
import type { ReportOptions } from "../report-options.js";
import { findCauses } from "../../findings/find-causes.js";
import { htmlCode, inlineCode, codeBlock } from "./untrusted.js";
import { percent, points } from "../../terminal/percent.js";

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

function renderHead(result: RunResult, { redact, asTyped = (text) => text }: ReportOptions): string {
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
    ...reasons.flatMap((reason) => [`- ${inlineCode(redact(asTyped(reason)))}`]),
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
  const groups = findCauses(result, options);
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
    ...(fix === undefined ? [] : [options.asTyped?.(fix) ?? fix]),
  ]);
  return lines.map((line) => inlineCode(options.redact(line))).join(" ");
}

const longestText = 2_000;

/** A failed case, folded: what was missed, what the agent called, and what it answered. */
function renderFailedCase(
  test: TestResult & { status: "failed" },
  decisive: TrialResult | null,
  { redact }: RenderOptions,
): string {
  const { assertions, toolCalls, output } = decisive ?? { assertions: [], toolCalls: [], output: "" };
  const mask = maskFor(assertions, redact);
  const failing = failingAssertions(assertions);
  const runs = test.runs > 1 ? ` ${test.passes} of ${test.runs} runs passed, ${test.required} needed` : "";
  const allowed = test.allowFailure === null ? "" : ` (allowed: ${htmlCode(redact(test.allowFailure))})`;
  const first = failing[0] === undefined ? "" : `: ${htmlCode(cut(mask(failing[0].message), 300))}`;
  return [
    `<details><summary>${htmlCode(redact(test.id))}${allowed}${runs}${first}</summary>`,
    "",
    ...(test.position === null ? [] : [inlineCode(redact(`${test.position.file}:${test.position.line}`)), ""]),
    ...failing.map(
      ({ type, id, message }) => `- ${inlineCode(id ?? type)} ${inlineCode(cut(mask(message), longestText))}`,
    ),
    "",
    ...(toolCalls.length === 0 ? [] : ["Tool calls:", "", codeBlock(cut(mask(renderCalls(toolCalls)), longestText))]),
    ...(output.trim() === "" ? [] : ["Answer:", "", codeBlock(cut(mask(output), longestText))]),
    "</details>",
    "",
  ].join("\n");
}

function renderCalls(calls: readonly TrialToolCall[]): string {
  return calls
    .map(({ tool, args, error }) => {
      const failed = error === undefined ? "" : ` → ${error.errorType}: ${error.message}`;
      return `${tool}(${JSON.stringify(args) ?? ""})${failed}`;
    })
    .join("\n");
}

/** Cut after masking, so that no half of a secret is left. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")}…`;
}

const marks = { regressed: "❌", ok: "✅", inconclusive: "❔" } as const;

/** A table of the suites, then what changed in each. */
function* renderComparedSuites(comparison: RunComparison, options: ReportOptions): Iterable<string> {
  const { redact } = options;
  const rows = comparison.suites.map((suite) => {
    const name = htmlCode(redact(suite.suite));
    if (suite.status === "none") return `| ${name} | no baseline | | | |`;
    if (suite.status === "unreadable") return `| ${name} | ❔ not compared | | | |`;
    const { verdict, meanDifference: mean, interval, adjusted, isConfirmed } = suite;
    const p = adjusted?.p ?? suite.p;
    const shown = `${marks[verdict]} **${verdict}**${isConfirmed === true ? " (confirmed)" : ""}`;
    const range = interval === null ? "" : `${points(interval[0])} to ${points(interval[1])}`;
    return `| ${name} | ${shown} | ${mean === null ? "" : points(mean)} | ${range} | ${p === null ? "" : p.toPrecision(2)} |`;
  });
  yield [
    "",
    "### Compared with the baseline",
    "",
    "| suite | verdict | points | 95% interval | p |",
    "|---|---|---|---|---|",
    ...rows,
    "",
    ...(isAdjusted(comparison)
      ? ["p of the suites that were tested together is adjusted for their number (Holm).", ""]
      : []),
  ].join("\n");
  for (const suite of comparison.suites) {
    if (suite.status === "compared") yield* renderChanges(suite, options);
    if (suite.status === "unreadable") {
      const why = explainDigested(suite.error, options).map(({ title }) => inlineCode(redact(title)));
      yield `\n${inlineCode(redact(suite.suite))}: ${why.join(" ")}\n`;
    }
  }
}

/** With one suite there is nothing to adjust. */
function isAdjusted({ suites }: RunComparison): boolean {
  return suites.some((suite) => suite.status === "compared" && (suite.adjusted?.suites ?? 1) > 1);
}

function* renderChanges(suite: ComparedSuite, options: ReportOptions): Iterable<string> {
  const { redact } = options;
  for (const one of suite.worse) yield renderChange("❌ worse", one, options);
  for (const one of suite.better) yield renderChange("✅ better", one, options);
  const uncompared = suite.uncompared.map(({ caseId, reason }) => `${caseId} (${reason})`);
  const lists: readonly [string, readonly string[]][] = [
    ["agent has changed", suite.agentChanges],
    ["new", suite.added],
    ["removed", suite.removed],
    ["not compared, since the check has changed", suite.changedChecks],
    ["not compared", uncompared],
  ];
  for (const [label, names] of lists) {
    if (names.length === 0) continue;
    const shown = names.slice(0, mostNames).map((name) => inlineCode(redact(name)));
    const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
    yield `- ${inlineCode(redact(suite.suite))} ${label}: ${shown.join(", ")}${more}\n`;
  }
}

function renderChange(label: string, one: ChangedCase, { redact }: ReportOptions): string {
  const { baseline, candidate, calls, isCritical } = one;
  const counts = `${baseline.passes}/${baseline.trials} → ${candidate.passes}/${candidate.trials}`;
  const title = `${label}: ${htmlCode(redact(one.caseId))} ${counts}${isCritical ? ", critical" : ""}`;
  if (calls === null) return `\n${title}\n`;
  const marksOf = { both: " ", before: "-", after: "+" } as const;
  const diff = diffLists(calls.before, calls.after).map(
    ({ side, text }) => `${marksOf[side]} ${visibleLine(redact(text))}`,
  );
  return `\n<details><summary>${title}</summary>\n\n${codeBlock(diff.join("\n"), "diff")}\n</details>\n`;
}
