import { armCosts, armFindings, armRows, armVerdict } from "./arm-words.js";
import type { ChangedCase, ComparedSuite, KindlmError, RunResult, SourcePosition, SuiteComparison } from "@kindlm/core";
import {
  diffLists,
  percent,
  plural,
  points,
  renderDuration,
  renderUsd,
  visibleLine,
  withCounts,
} from "@kindlm/core/program";
import { explainDigested } from "../errors/explain-error.js";
import type { ErrorCause } from "../findings/find-causes.js";
import type { FailureKind } from "../findings/find-kinds.js";
import { describeInjection } from "./describe-injection.js";
import { describeLooks } from "./describe-looks.js";
import type { ReportOptions } from "./report-options.js";
import { codeBlock, htmlCode, inlineCode } from "./untrusted.js";

/** How a suite stands against its baseline: the sign of the tables, and what it means. */
const changes = {
  regressed: { sign: "▼", order: 0 },
  inconclusive: { sign: "?", order: 1 },
  improved: { sign: "▲", order: 2 },
  same: { sign: "=", order: 3 },
} as const;

function changeOf({ verdict, interval, meanDifference }: ComparedSuite): keyof typeof changes {
  if (verdict === "regressed") return "regressed";
  if (interval !== null && interval[0] > 0) return "improved";
  return verdict === "inconclusive" && (meanDifference ?? 0) < 0 ? "inconclusive" : "same";
}

/** Cut after masking, so that no half of a secret is left. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")}…`;
}

const longestName = 120;

/** A name that somebody chose, as code. */
export function nameCode(name: string, { redact }: ReportOptions): string {
  return htmlCode(cut(redact(name), longestName));
}

/** The sign, what is wrong, and which commit, money and time that was. */
export function renderHeadline(result: RunResult, options: ReportOptions): string {
  const { summary, run } = result;
  const commit = options.commit ?? run.git?.commit;
  const facts = [
    ...(commit === undefined ? [] : [commit.slice(0, 7)]),
    ...(summary.costUsd === null ? [] : [shortCost(summary.costUsd)]),
    renderDuration(run.durationMs),
  ];
  return [`${signOf(result)} KindLM: ${sayWhat(result, options)}`, ...facts].join(" · ");
}

/** As exact as anybody needs it who decides about a change. */
function shortCost(usd: number): string {
  return usd === 0 ? "$0" : `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}

function signOf({ verdict, summary, comparison }: RunResult): string {
  if (verdict === "passed") return comparison?.verdict === "regressed" ? "▼" : "✓";
  return summary.failed === 0 && summary.errored > 0 ? "!" : "✗";
}

/** What somebody who decides about the change must know first. */
function sayWhat({ verdict, summary, comparison, reasons, suites }: RunResult, options: ReportOptions): string {
  const regressed = (comparison?.suites ?? []).filter(
    (one) => one.status === "compared" && one.verdict === "regressed",
  );
  const [first, second, third] = regressed.map(({ suite }) => nameCode(suite, options));
  if (third !== undefined) return withCounts`${regressed.length} suites regressed`;
  if (first !== undefined) return `${first}${second === undefined ? "" : ` and ${second}`} regressed`;
  if (verdict === "passed") return withCounts`${summary.passed} passed`;
  if (summary.failed > summary.allowedFailures) return `${plural(summary.failed, "case")} failed`;
  if (summary.errored > 0) return `${plural(summary.errored, "case")} errored, without a verdict about the agent`;
  const broken = suites.filter(({ status }) => status === "skipped").length;
  if (broken > 0) return `${plural(broken, "suite")} could not run`;
  const [reason] = reasons;
  return reason === undefined ? verdict : nameCode(options.asTyped?.(reason) ?? reason, options);
}

/** The counters, and what passed, failed and was errored in the baselines. */
export function renderCounters({ summary, selection, comparison }: RunResult): string {
  const { passed, failed, errored, skipped } = summary;
  return [
    withCounts`${passed} passed · ${failed} failed · ${errored} errored`,
    ...(skipped === 0 ? [] : [withCounts`${skipped} skipped`]),
    ...earlierCounters(comparison?.suites ?? []),
    ...(selection === undefined ? [] : [`${selection.shown} of ${plural(selection.of, "case")} shown`]),
  ].join(" · ");
}

/** Nothing if not all of the baselines can be read. A suite without one is new. */
function earlierCounters(suites: readonly SuiteComparison[]): readonly string[] {
  const baselines = suites.flatMap((one) => (one.status === "compared" ? [one.baseline] : []));
  if (baselines.length === 0 || suites.some(({ status }) => status === "unreadable")) return [];
  const sum = (key: "passed" | "failed"): number => baselines.reduce((total, one) => total + one[key], 0);
  // No errored case is ever saved.
  return [`was ${sum("passed")} · ${sum("failed")} · 0`];
}

/** A table of the suites that have a baseline, those that got worse first; null if none has. */
export function renderComparedTable(result: RunResult, options: ReportOptions, mostRows: number): string | null {
  const compared = (result.comparison?.suites ?? []).filter((one) => one.status !== "none");
  if (compared.length === 0) return null;
  const rows = compared.map((one) => rowOf(one, result, options)).toSorted((a, b) => a.order - b.order);
  const more = rows.length - mostRows;
  return [
    `| | suite | pass rate | against ${nameBaselines(compared, options)} |`,
    "|---|---|---|---|",
    ...rows.slice(0, mostRows).map(({ row }) => row),
    ...(more > 0 ? ["", `… and ${plural(more, "more suite")}`] : []),
    "",
  ].join("\n");
}

/** The arms of each suite that has any, and how they differ; null if none has. */
export function renderArms({ arms = [] }: RunResult, options: ReportOptions): string | null {
  if (arms.length === 0) return null;
  const parts = arms.flatMap((compared) => {
    const [head = [], ...rows] = armRows(compared);
    return [
      `\n### Arms of ${nameCode(compared.suite, options)}\n`,
      `| ${head.join(" | ")} |`,
      `|${head.map(() => "---|").join("")}`,
      ...rows.map(([id = "", ...cells]) => `| ${[nameCode(id, options), ...cells].join(" | ")} |`),
      "",
      ...compared.differences.map((one) => {
        const found = armFindings(one, compared.differences.length);
        return `- **${armVerdict(one)}**: ${found}; ${armCosts(one)}`;
      }),
      "",
    ];
  });
  return parts.join("\n");
}

/** The branch whose baselines count, else the commit that all of them were saved at. */
function nameBaselines(suites: readonly SuiteComparison[], options: ReportOptions): string {
  if (options.baselineBranch !== undefined) return nameCode(options.baselineBranch, options);
  const commits = new Set(suites.flatMap((one) => (one.status === "compared" ? [one.baseline.commit] : [])));
  const [commit] = commits;
  return commits.size === 1 && typeof commit === "string" ? `the baseline of ${commit.slice(0, 7)}` : "the baseline";
}

function rowOf(
  one: Exclude<SuiteComparison, { status: "none" }>,
  { suiteSummaries }: RunResult,
  options: ReportOptions,
): { order: number; row: string } {
  const rate = suiteSummaries.find(({ suite }) => suite === one.suite)?.passRate ?? null;
  const start = `${nameCode(one.suite, options)} | ${rate === null ? "" : percent(rate)}`;
  if (one.status === "unreadable")
    return { order: 1, row: `| ! | ${start} | not compared: ${say(one.error, options)} |` };
  const { meanDifference: mean, interval, regressedOutright, isConfirmed } = one;
  const { sign, order } = changes[changeOf(one)];
  const measured = mean === null ? [] : [`${points(mean)} points`];
  const range = interval === null ? "" : ` (${points(interval[0])} to ${points(interval[1])})`;
  const count = regressedOutright.length;
  const outright =
    count === 0 ? [] : [`${plural(count, "deterministic case")} no longer ${count === 1 ? "passes" : "pass"}`];
  const found = [
    ...measured.map((text) => `${text}${range}`),
    ...outright,
    ...[isConfirmed === true ? "confirmed" : null, describeLooks(one)].filter((fact) => fact !== null),
  ];
  return { order, row: `| ${sign} | ${start} | ${found.length === 0 ? "no change seen" : found.join(", ")} |` };
}

function say(error: KindlmError, options: ReportOptions): string {
  return explainDigested(error, options)
    .slice(0, 1)
    .map(({ title }) => nameCode(title, options))
    .join("");
}

/** What a kind of failure is, in how many cases, and where. */
export function renderKindTitle({ title, cases, position }: FailureKind, options: ReportOptions): string {
  const place = position === null ? [] : [inlineCode(placeOf(position, options))];
  return [`**${htmlCode(cut(title, 200))}**`, plural(cases.length, "case"), ...place].join(" · ");
}

function placeOf({ file, line }: SourcePosition, { redact }: ReportOptions): string {
  return redact(`${file}:${line}`);
}

/** `5/5 → 1/5`: how many trials passed in the baseline, and now. */
export function renderRates({ baseline, candidate }: ChangedCase): string {
  return withCounts`${baseline.passes}/${baseline.trials} → ${candidate.passes}/${candidate.trials}`;
}

/** What the agent called in the baseline and calls now, as a block that GitHub colors. Null if that is the same. */
export function renderCallDiff({ calls }: ChangedCase, { redact }: ReportOptions, mostLines: number): string | null {
  if (calls === null) return null;
  const marksOf = { both: " ", before: "-", after: "+" } as const;
  const lines = diffLists(calls.before, calls.after).map(
    ({ side, text }) => `${marksOf[side]} ${cut(visibleLine(redact(text)), 160)}`,
  );
  // What is equal before the first difference is the least of it.
  const first = Math.max(0, lines.findIndex((line) => !line.startsWith(" ")) - 2);
  const shown = lines.slice(first, first + mostLines);
  const before = first === 0 ? [] : [`  … ${plural(first, "call")} as before`];
  const after = lines.length - first - shown.length;
  return codeBlock(
    [...before, ...shown, ...(after > 0 ? [`  … ${plural(after, "more call")}`] : [])].join("\n"),
    "diff",
  );
}

const mostNames = 5;

/** A cause of errors, what to do about it, and the cases that it hit. */
export function renderCause({ title, fix, cases }: ErrorCause, options: ReportOptions): string {
  const lines = [title, ...fix.map((line) => options.asTyped?.(line) ?? line)].map((line) =>
    inlineCode(cut(line, 300)),
  );
  return `- ! ${lines.join(" ")} · ${plural(cases.length, "case")}: ${renderNames(
    cases.map(({ id }) => id),
    options,
  )}\n`;
}

export function renderNames(names: readonly string[], options: ReportOptions): string {
  const more = names.length > mostNames ? withCounts` and ${names.length - mostNames} more` : "";
  return `${names
    .slice(0, mostNames)
    .map((name) => nameCode(name, options))
    .join(", ")}${more}`;
}

/** Pass rate, cost and requests on one line. */
export function renderFigures({ summary }: RunResult): string {
  const { passRate, interval, costUsd } = summary;
  const range = interval === null ? "" : ` (95% interval ${percent(interval[0])} to ${percent(interval[1])})`;
  return [
    passRate === null ? "Pass rate unknown: no case counts" : `Pass rate ${percent(passRate)}${range}`,
    costUsd === null ? "cost unknown" : `cost ${renderUsd(costUsd)}`,
    plural(summary.requests, "request"),
  ].join(" · ");
}

/** How the agent fares under prompt injection; empty where no case is attacked. */
export function renderInjection({ summary }: RunResult, options: ReportOptions): readonly string[] {
  return describeInjection(summary).map((line) => htmlCode(options.redact(line)));
}
