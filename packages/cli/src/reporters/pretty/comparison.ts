import type { CaseCounts, ChangedCase, ComparedSuite, RunComparison, SuiteComparison } from "@kindlm/core";
import { diffLists, plural } from "@kindlm/core/program";
import { renderExplanation } from "../render-explanation.js";
import type { PrettyView } from "./pretty-view.js";
import { points } from "../../terminal/percent.js";

/** Names of a list that are written out; `--verbose` writes out all. */
const mostNames = 5;
/** Cases that are shown with what they called. */
const mostCases = 20;

/** How the run stands against its baselines: a line per suite, then what changed in it. */
export function* renderComparison(comparison: RunComparison, view: PrettyView): Iterable<string> {
  yield `\n${view.palette.bold("Compared with the baseline")}\n`;
  for (const suite of comparison.suites) yield* renderSuite(suite, view);
}

function* renderSuite(suite: SuiteComparison, view: PrettyView): Iterable<string> {
  const { palette } = view;
  const name = view.line(suite.suite);
  if (suite.status === "none") {
    yield `  ${palette.dim("–")} ${name}: no baseline. Save one: ${view.asTyped("kindlm baseline set")}\n`;
    return;
  }
  if (suite.status === "unreadable") {
    yield `  ${palette.yellow("!")} ${name}: not compared\n`;
    const lines = view.explain(suite.error).flatMap((explanation) => renderExplanation(explanation, view));
    for (const line of lines) yield `    ${line}\n`;
    return;
  }
  yield `  ${markOf(suite, view)} ${name}: ${verdictOf(suite, view)}\n`;
  for (const line of detailsOf(suite, view)) yield `    ${line}\n`;
}

function markOf({ verdict }: ComparedSuite, { palette }: PrettyView): string {
  return verdict === "regressed" ? palette.red("✗") : verdict === "ok" ? palette.green("✓") : palette.yellow("?");
}

function verdictOf(suite: ComparedSuite, { palette }: PrettyView): string {
  const { verdict, p, meanDifference: mean, interval, cases, noisyCases, isConfirmed } = suite;
  const paint = verdict === "regressed" ? palette.red : verdict === "ok" ? palette.green : palette.yellow;
  const outright = suite.regressedOutright.length;
  const measured =
    mean === null || interval === null || p === null
      ? []
      : [
          `${points(mean)} points (95% interval ${points(interval[0])} to ${points(interval[1])})`,
          renderSuiteP(suite.adjusted ?? { p, suites: 1 }),
          noisyCases === cases ? plural(cases, "case") : `${noisyCases} of ${plural(cases, "case")} vary`,
        ];
  return [
    `${palette.bold(paint(verdict))}${isConfirmed === true ? ", confirmed on new trials" : ""}`,
    ...(outright === 0
      ? []
      : [`${plural(outright, "deterministic case")} no longer ${outright === 1 ? "passes" : "pass"}`]),
    ...measured,
    ...(measured.length === 0 ? [cases === 0 ? "nothing could be compared" : plural(cases, "case")] : []),
  ].join(" · ");
}

function* detailsOf(suite: ComparedSuite, view: PrettyView): Iterable<string> {
  const { palette } = view;
  const { wouldDecide, baseline, agentChanges } = suite;
  if (wouldDecide !== null) yield renderWouldDecide(wouldDecide);
  yield palette.dim(renderOrigin(baseline, view));
  if (agentChanges.length > 0) yield `The agent has changed: ${agentChanges.map(view.line).join(", ")}`;
  yield* renderCases("worse", suite.worse, palette.red("✗"), view);
  yield* renderCases("better", suite.better, palette.green("✓"), view);
  yield* renderNames("New", suite.added, view);
  yield* renderNames("Removed", suite.removed, view);
  yield* renderNames("Not compared, since the check has changed", suite.changedChecks, view);
  const silent = suite.uncompared.map(({ caseId, reason }) => `${caseId} (${reason})`);
  yield* renderNames("Not compared", silent, view);
}

function renderWouldDecide({ cases, trials }: NonNullable<ComparedSuite["wouldDecide"]>): string {
  const ways = [
    ...(cases === null ? [] : [`${cases} cases in all`]),
    ...(trials === null ? [] : [`${trials} trials of each (runs: ${trials}, in the baseline too)`]),
  ];
  return ways.length === 0
    ? "No practical number of cases or trials would decide it"
    : `If the rates stay the same, about ${ways.join(", or ")} would decide it`;
}

function renderOrigin({ setAt, commit, kindlm, note }: ComparedSuite["baseline"], view: PrettyView): string {
  const parts = [
    `Baseline of ${setAt.slice(0, 16).replace("T", " ")}`,
    ...(commit === null ? [] : [`commit ${commit.slice(0, 10)}`]),
    `KindLM ${kindlm}`,
    ...(note === undefined ? [] : [note]),
  ];
  return parts.map(view.line).join(", ");
}

function* renderCases(word: string, cases: readonly ChangedCase[], mark: string, view: PrettyView): Iterable<string> {
  const shown = view.options.verbose ? cases : cases.slice(0, mostCases);
  for (const one of shown) {
    const p = one.p === null ? "" : `, ${renderP(one.p)}`;
    const critical = one.isCritical ? ", critical" : "";
    yield `${mark} ${word}: ${view.line(one.caseId)} ${share(one.baseline)} → ${share(one.candidate)}${p}${critical}`;
    if (one.calls !== null) yield* renderCalls(one.calls, view);
  }
  if (cases.length > shown.length)
    yield `${mark} and ${cases.length - shown.length} more ${word} (--verbose shows them)`;
}

/** What an agent called before and now, one call per line. */
function* renderCalls({ before, after }: NonNullable<ChangedCase["calls"]>, view: PrettyView): Iterable<string> {
  for (const { side, text } of diffLists(before, after)) {
    const line = view.short(text, 160);
    if (side === "both") yield `      ${view.palette.dim(line)}`;
    else yield `    ${side === "before" ? view.palette.red(`- ${line}`) : view.palette.green(`+ ${line}`)}`;
  }
}

function* renderNames(label: string, names: readonly string[], view: PrettyView): Iterable<string> {
  if (names.length === 0) return;
  const shown = view.options.verbose ? names : names.slice(0, mostNames);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
  yield `${label}: ${shown.map(view.line).join(", ")}${more}`;
}

function share({ passes, trials }: CaseCounts): string {
  return `${passes}/${trials}`;
}

function renderSuiteP({ p, suites }: NonNullable<ComparedSuite["adjusted"]>): string {
  return suites === 1 ? renderP(p) : `${renderP(p)}, adjusted for ${suites} suites`;
}

function renderP(p: number): string {
  return p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
}
