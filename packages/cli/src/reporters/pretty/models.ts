import type { ModelComparison, RunResult, VariantCell, VariantDifference, VariantSummary } from "@kindlm/core";
import {
  compareModels,
  percent,
  plural,
  points,
  renderCount,
  renderDuration,
  renderUsd,
  withCounts,
} from "@kindlm/core/program";
import { armCosts, armFindings, armRows, armVerdict } from "../arm-words.js";
import { routingCells, routingWords } from "../routing-words.js";
import { alignWidth } from "../../terminal/text-width.js";
import { heading, type PrettyView } from "./pretty-view.js";

/** Rows, columns and pairs that are shown; `--verbose` shows all. */
const mostTests = 20;
const mostVariants = 8;
const mostPairs = 15;
const longestName = 24;

/** Models and prompts side by side; nothing if there is only one. */
export async function* renderModels({ suites, run }: RunResult, view: PrettyView): AsyncIterable<string> {
  const compared = await compareModels(suites, run.seed);
  if (compared === null) return;
  yield heading("MODELS", plural(compared.variants.length, "variant"), view);
  for (const line of alignWidth(summaryRows(compared.variants, view))) yield* write(line, view);
  yield* renderTests(compared, view);
  const { differences } = compared;
  const shown = view.options.verbose ? differences : differences.slice(0, mostPairs);
  if (shown.length > 0) yield "\n";
  for (const difference of shown) yield* write(renderDifference(difference, view), view);
  yield* renderRest(differences.length - shown.length, "more pair");
}

function summaryRows(variants: readonly VariantSummary[], view: PrettyView): string[][] {
  return [
    ["", "mean rate (95% interval)", "passed", "errored", "cost", "mean latency"],
    ...variants.map((one) => [
      view.short(one.name, longestName),
      one.meanRate === null
        ? "–"
        : `${percent(one.meanRate.mean)} (${one.meanRate.interval.map(percent).join(" to ")})`,
      withCounts`${one.passed} of ${one.cases}`,
      renderCount(one.errored),
      costOf(one),
      renderDuration(one.latencyMs),
    ]),
  ];
}

/** The tests on which they differ, the widest apart first. */
function* renderTests({ variants, tests }: ModelComparison, view: PrettyView): Iterable<string> {
  const { verbose } = view.options;
  const names = variants.map(({ name }) => name).slice(0, verbose ? undefined : mostVariants);
  const apart = tests
    .map((row) => ({ ...row, spread: spreadOf(row.cells) }))
    .filter(({ spread }) => verbose || spread > 0)
    .toSorted((a, b) => b.spread - a.spread);
  const shown = verbose ? apart : apart.slice(0, mostTests);
  if (shown.length > 0) {
    const rows = shown.map(({ suite, test, cells }) => [
      view.short(`${suite}/${test}`, 2 * longestName),
      ...cells.slice(0, names.length).map((cell) => renderCell(cell, verbose)),
    ]);
    yield "\n";
    const head = ["", ...names.map((name) => view.short(name, longestName))];
    for (const line of alignWidth([head, ...rows])) yield* write(line, view);
  }
  yield* renderRest(
    apart.length - shown.length,
    "more test with different results",
    "more tests with different results",
  );
  const alike = tests.length - apart.length;
  if (alike > 0) yield `  ${view.palette.dim(`${plural(alike, "test")} with equal results`)}\n`;
  yield* renderRest(variants.length - names.length, "more column");
}

function rateOf(cell: VariantCell | null): number | null {
  if (cell === null) return null;
  return cell.rate ?? (cell.cases === 0 ? null : cell.passed / cell.cases);
}

function spreadOf(cells: readonly (VariantCell | null)[]): number {
  const rates = cells.map(rateOf).filter((rate) => rate !== null);
  return rates.length === 0 ? 0 : Math.max(...rates) - Math.min(...rates);
}

function renderCell(cell: VariantCell | null, verbose: boolean): string {
  const rate = rateOf(cell);
  if (cell === null || rate === null) return "–";
  return verbose ? `${percent(rate)}, ${costOf(cell)}, ${renderDuration(cell.latencyMs)}` : percent(rate);
}

function costOf({ costUsd }: VariantCell): string {
  return costUsd === null ? "cost unknown" : renderUsd(costUsd);
}

function renderDifference({ from, to, mean, interval, p, cases }: VariantDifference, view: PrettyView): string {
  const range = interval.map(points).join(" to ");
  const chance = p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
  const pair = `${view.short(to, longestName)} against ${view.short(from, longestName)}`;
  return `${pair}: ${points(mean)} points (${range}) · ${chance} · ${plural(cases, "case")}`;
}

function* write(line: string, view: PrettyView): Iterable<string> {
  for (const piece of view.wrap("  ", line)) yield `${piece}\n`;
}

function* renderRest(hidden: number, one: string, many = `${one}s`): Iterable<string> {
  if (hidden > 0) yield withCounts`  … and ${hidden} ${hidden === 1 ? one : many}; --verbose shows all of them\n`;
}

/** The confusion table of each suite that routes requests to tools. */
export function* renderRouting({ routing = [] }: RunResult, view: PrettyView): Iterable<string> {
  for (const table of routing) {
    yield heading("ROUTING", view.line(`${table.suite}: ${routingWords(table)}`), view);
    for (const line of alignWidth(routingCells(table))) yield* write(view.line(line), view);
  }
}

/** The arms of each suite: their figures, then how they differ. */
export function* renderArms({ arms = [] }: RunResult, view: PrettyView): Iterable<string> {
  for (const compared of arms) {
    yield heading("ARMS", view.line(compared.suite), view);
    for (const line of alignWidth(armRows(compared))) yield* write(view.line(line), view);
    for (const difference of compared.differences) {
      yield "\n";
      yield* write(
        view.line(`${armVerdict(difference)} · ${armFindings(difference, compared.differences.length)}`),
        view,
      );
      yield* write(view.line(armCosts(difference)), view);
    }
  }
}
