import type { CaseSummary, PassK, RunResult, SuiteTotals } from "@kindlm/core";
import { plural, renderDuration } from "@kindlm/core/program";
import type { PrettyView } from "./pretty-view.js";
import { percent } from "../../terminal/percent.js";

/** Suites that have a line; `--verbose` shows all. */
const mostSuites = 20;

/** Rates over trials, of each suite and of the run. Where every case ran once they say no more than the pass rate. */
export function* renderRates({ summary, suiteSummaries }: RunResult, view: PrettyView): Iterable<string> {
  if (summary.passK === undefined && summary.earlyEnd === undefined) return;
  const ran = suiteSummaries.filter(({ total, skipped }) => total > skipped);
  const shown = ran.length < 2 ? [] : view.options.verbose ? ran : ran.slice(0, mostSuites);
  yield `\n${view.palette.bold("Rates over trials")}\n`;
  for (const suite of shown) yield `  ${view.line(suite.suite)}: ${renderLine(suite)}\n`;
  const hidden = ran.length - shown.length;
  if (shown.length > 0 && hidden > 0) yield `  … and ${plural(hidden, "more suite")}; --verbose shows all of them\n`;
  yield `  All: ${renderLine(summary)}\n`;
}

function renderLine(summary: CaseSummary & SuiteTotals): string {
  const { meanRate, errorRate, passK = [], earlyEnd, latencyMs, judgeScore } = summary;
  const parts = [
    ...(meanRate === null ? [] : [`mean ${percent(meanRate.mean)} (95% interval ${rangeOf(meanRate.interval)})`]),
    ...renderPassK(passK, meanRate?.cases ?? 0),
    ...(judgeScore === undefined ? [] : [`judges ${judgeScore.mean.toFixed(2)}`]),
    ...(errorRate === null || errorRate === 0 ? [] : [`${percent(errorRate)} errored`]),
    ...(latencyMs === null ? [] : [`p50 ${renderDuration(latencyMs.p50)}, p95 ${renderDuration(latencyMs.p95)}`]),
    ...(earlyEnd === undefined ? [] : [renderEarlyEnd(earlyEnd)]),
  ];
  return parts.join(" · ");
}

/** Of the most trials alone: what the others say lies between it and the mean. */
function renderPassK(passK: readonly PassK[], all: number): readonly string[] {
  const last = passK.at(-1);
  if (last === undefined) return [];
  const of = last.cases === all ? "" : ` of ${plural(last.cases, "case")}`;
  return [`pass@${last.k} ${percent(last.passAtK)}, pass^${last.k} ${percent(last.passHatK)}${of}`];
}

function renderEarlyEnd({ cases, endedEarly }: NonNullable<CaseSummary["earlyEnd"]>): string {
  return `${endedEarly} of ${plural(cases, "case")} with early_end ended early, and none of these is in the rates`;
}

function rangeOf([low, high]: readonly [number, number]): string {
  return `${percent(low)} to ${percent(high)}`;
}
