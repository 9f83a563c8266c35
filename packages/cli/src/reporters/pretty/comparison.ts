import type { CaseCounts, ChangedCase, ComparedSuite, RunComparison, SuiteComparison } from "@kindlm/core";
import { attemptSync, diffLists, isRecord, plural, points, preview, withCounts } from "@kindlm/core/program";
import { fitDifference } from "../../terminal/fit-difference.js";
import { fitWidth, padWidth, spreadWidth, textWidth } from "../../terminal/text-width.js";
import { describeGrowth, describeUnsavedGrowth } from "../describe-growth.js";
import { describeLooks } from "../describe-looks.js";
import { describeInjectionChange } from "../describe-injection.js";
import { renderExplanation } from "../render-explanation.js";
import { heading, type PrettyView } from "./pretty-view.js";

/** Names of a list that are written out; `--verbose` writes out all. */
const mostNames = 5;
/** Cases that are shown with what they called. */
const mostCases = 20;

interface Verdict {
  sign: string;
  words: string;
  paint(text: string): string;
}

/** The comparison of the run with its baselines: a line per suite, then what changed in it. */
export function* renderComparison(comparison: RunComparison, view: PrettyView): Iterable<string> {
  const origins = new Set(comparison.suites.flatMap((suite) => (suite.status === "compared" ? originOf(suite) : [])));
  const [origin = ""] = origins;
  yield heading("BASELINE", origins.size === 1 ? view.line(origin) : "", view);
  const suites = comparison.suites.map((suite) => ({ suite, verdict: verdictOf(suite, view) }));
  const names = Math.max(...suites.map(({ suite }) => textWidth(view.line(suite.suite))));
  const words = Math.max(...suites.map(({ verdict }) => textWidth(verdict.words)));
  const columns = { name: Math.min(names, Math.floor(view.columns / 3)), words };
  for (const { suite, verdict } of suites) {
    yield linesOf(suiteLines(suite, verdict, columns, view));
    if (suite.status === "compared") yield linesOf(detailsOf(suite, verdict, origins.size > 1, view));
  }
}

function originOf({ baseline: { setAt, commit } }: ComparedSuite): string {
  return `${setAt.slice(0, 16).replace("T", " ")}${commit === null ? "" : `, commit ${commit.slice(0, 7)}`}`;
}

/** A sign, a word; an estimate that points up, or nowhere, raises no alarm. */
function verdictOf(suite: SuiteComparison, { palette }: PrettyView): Verdict {
  if (suite.status === "none") return { sign: "–", words: "no baseline", paint: palette.dim };
  if (suite.status === "unreadable") return { sign: "!", words: "not compared", paint: palette.yellow };
  const { verdict, meanDifference: mean, interval, cases } = suite;
  if (verdict === "regressed") return { sign: "▼", words: "regressed", paint: palette.red };
  if (cases === 0) return { sign: "?", words: "nothing could be compared", paint: palette.yellow };
  if (interval !== null && interval[0] > 0) return { sign: "▲", words: "improved", paint: palette.green };
  if (verdict === "inconclusive" && (mean === null || mean < 0)) {
    return { sign: "?", words: "inconclusive", paint: palette.yellow };
  }
  return { sign: "=", words: "no change seen", paint: palette.dim };
}

function suiteLines(
  suite: SuiteComparison,
  { sign, words, paint }: Verdict,
  columns: { name: number; words: number },
  view: PrettyView,
): string[] {
  const name = padWidth(view.short(suite.suite, columns.name), columns.name);
  const head = `${paint(sign)} ${name}   `;
  if (suite.status === "none") {
    return view.wrap(head, `${paint(words)}: ${view.asTyped("kindlm baseline set")} saves one`);
  }
  if (suite.status === "unreadable") {
    const why = view.explain(suite.error).flatMap((explanation) => renderExplanation(explanation, view));
    return [...view.wrap(head, paint(words)), ...why.flatMap((line) => view.wrap("  ", line))];
  }
  const { meanDifference: mean, interval } = suite;
  const p = sign === "▼" || sign === "?" ? chanceOf(suite) : "";
  if (mean === null || interval === null) return spreadWidth(head, paint(words), p, view.columns);
  const measured = `${points(mean)} points (${points(interval[0])} to ${points(interval[1])})`;
  return spreadWidth(head, `${paint(padWidth(words, columns.words))}   ${measured}`, p, view.columns);
}

function chanceOf({ p, adjusted }: ComparedSuite): string {
  return p === null ? "" : renderP(adjusted?.p ?? p);
}

function* detailsOf(suite: ComparedSuite, { sign }: Verdict, hasOrigin: boolean, view: PrettyView): Iterable<string> {
  const { palette } = view;
  // Of a suite that is as it was, there is nothing to explain.
  const isOpen = sign === "▼" || sign === "?" || view.options.verbose;
  const { wouldDecide, baseline, agentChanges } = suite;
  const outright = suite.regressedOutright.length;
  const facts = [
    ...(suite.isConfirmed === true ? ["confirmed on new trials"] : []),
    ...(outright === 0
      ? []
      : [`${plural(outright, "deterministic case")} no longer ${outright === 1 ? "passes" : "pass"}`]),
    ...coverageOf(suite),
    ...((suite.adjusted?.suites ?? 1) > 1 ? [`p adjusted for ${suite.adjusted?.suites} suites`] : []),
  ];
  if (isOpen && facts.length > 0) yield* view.wrap("  ", palette.dim(facts.join(" · ")));
  if (isOpen && wouldDecide !== null) yield* view.wrap("  ", palette.dim(renderWouldDecide(wouldDecide)));
  const looks = describeLooks(suite);
  if (looks !== null) yield* view.wrap("  ", palette.dim(looks));
  const injection = describeInjectionChange(suite);
  if (injection !== null) yield* view.wrap("  ", injection);
  yield* renderGrowth(suite, view);
  const origin = [...(hasOrigin ? [originOf(suite)] : []), ...(baseline.note === undefined ? [] : [baseline.note])];
  if (origin.length > 0) yield* view.wrap("  ", palette.dim(view.line(`Baseline: ${origin.join(", ")}`)));
  if (agentChanges.length > 0) yield* view.wrap("  ", `The agent changed: ${agentChanges.map(view.line).join(", ")}`);
  yield* renderCases(suite, suite.worse, ["worst", "worse"], palette.red, view);
  yield* renderCases(suite, suite.better, ["better", "better"], palette.green, view);
  yield* renderNames("New", suite.added, view);
  yield* renderNames("Removed", suite.removed, view);
  yield* renderNames("Not compared, since the check has changed", suite.changedChecks, view);
  const silent = suite.uncompared.map(({ caseId, reason }) => `${caseId} (${reason})`);
  yield* renderNames("Not compared", silent, view);
}

function* renderGrowth(suite: ComparedSuite, view: PrettyView): Iterable<string> {
  for (const line of describeGrowth(suite, view.options.verbose)) yield* view.wrap("  ", line);
  const unsaved = describeUnsavedGrowth(suite);
  if (unsaved !== null) {
    yield* view.wrap("  ", view.palette.dim(`${unsaved}: ${view.asTyped("kindlm baseline set")} adds it`));
  }
}

function coverageOf({ noisyCases, cases, meanDifference: mean }: ComparedSuite): string[] {
  if (cases === 0) return [];
  return [
    mean === null || noisyCases === cases ? plural(cases, "case") : `${noisyCases} of ${plural(cases, "case")} vary`,
  ];
}

function renderWouldDecide({ cases, trials }: NonNullable<ComparedSuite["wouldDecide"]>): string {
  const ways = [
    ...(cases === null ? [] : [withCounts`${cases} cases in all`]),
    ...(trials === null ? [] : [withCounts`${trials} trials of each (runs: ${trials}, in the baseline too)`]),
  ];
  return ways.length === 0
    ? "No practical number of cases or trials would decide it"
    : `If the rates stay the same, about ${ways.join(", or ")} would decide it`;
}

/** The label of the first case, and of the others. */
type Labels = readonly [first: string, other: string];

function* renderCases(
  { suite }: ComparedSuite,
  cases: readonly ChangedCase[],
  labels: Labels,
  paint: (text: string) => string,
  view: PrettyView,
): Iterable<string> {
  const shown = view.options.verbose ? cases : cases.slice(0, mostCases);
  for (const [index, one] of shown.entries()) {
    const label = labels[index === 0 ? 0 : 1];
    const id = one.caseId.startsWith(`${suite}/`) ? one.caseId.slice(suite.length + 1) : one.caseId;
    const facts = [
      view.line(id),
      `${share(one.baseline)} → ${share(one.candidate)}`,
      ...(one.p === null ? [] : [renderP(one.p)]),
      ...(one.isCritical ? ["critical"] : []),
    ];
    yield* view.wrap(`  ${paint(label.padEnd(6))}  `, facts.join("   "));
    if (one.calls !== null) yield* renderCalls(one.calls, view);
  }
  if (cases.length > shown.length) {
    yield withCounts`  and ${cases.length - shown.length} more ${labels[1]} (--verbose shows them)`;
  }
}

/** What an agent called before and now, one call per line. */
function* renderCalls({ before, after }: NonNullable<ChangedCase["calls"]>, view: PrettyView): Iterable<string> {
  const { palette, columns } = view;
  const indent = " ".repeat(columns < 59 ? 4 : 10);
  const room = columns - indent.length - 2;
  const lines = [...diffLists(before, after)].map(({ side, text }) => ({ side, text: view.line(describeCall(text)) }));
  for (const [index, { side, text }] of lines.entries()) {
    const other = lines[side === "before" ? index + 1 : index - 1];
    const isChanged = side !== "both" && other !== undefined && other.side !== "both" && other.side !== side;
    const line = isChanged ? fitDifference(text, other.text, room)[0] : fitWidth(text, room);
    if (side === "both") yield `${indent}  ${palette.dim(line)}`;
    else yield `${indent}${side === "before" ? palette.red(`- ${line}`) : palette.green(`+ ${line}`)}`;
  }
}

/** `issue_refund({"amount":1})` as transcripts have it: `issue_refund  amount 1`. */
function describeCall(text: string): string {
  const [, tool, written] = /^([^(\s]+)(?: |\()(\{.*\})\)?$/s.exec(text) ?? [];
  if (tool === undefined || written === undefined) return text;
  const args = attemptSync(
    (): unknown => JSON.parse(written),
    () => null,
  );
  if (!args.success || !isRecord(args.data)) return text;
  const entries = Object.entries(args.data).map(([name, value]) => `${name} ${preview(value)}`);
  return entries.length === 0 ? tool : `${tool}  ${entries.join(", ")}`;
}

function* renderNames(label: string, names: readonly string[], view: PrettyView): Iterable<string> {
  if (names.length === 0) return;
  const shown = view.options.verbose ? names : names.slice(0, mostNames);
  const more = names.length > shown.length ? withCounts` and ${names.length - shown.length} more` : "";
  yield* view.wrap("  ", `${label}: ${shown.map(view.line).join(", ")}${more}`);
}

function share({ passes, trials }: CaseCounts): string {
  return withCounts`${passes}/${trials}`;
}

function renderP(p: number): string {
  return p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
}

function linesOf(all: Iterable<string>): string {
  return [...all].map((line) => `${line}\n`).join("");
}
