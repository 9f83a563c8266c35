import type { QuarantinedTest, RunResult, TestResult, TrialResult } from "@kindlm/core";
import { casesOf, flakyCases, plural, quarantinedTests, renderDuration, withCounts } from "@kindlm/core/program";
import { listIds } from "../../findings/short-ids.js";
import { fitId, padWidth, padWidthStart, textWidth } from "../../terminal/text-width.js";
import { heading, type PrettyView } from "./pretty-view.js";

/** Lines of a section; `--verbose` shows all. */
const mostLines = 20;
const mostNames = 10;

/** The cases that passed, but not in every trial. */
export function* renderFlaky({ suites }: RunResult, view: PrettyView): Iterable<string> {
  const { palette } = view;
  const flaky = flakyCases(suites).filter(({ status }) => status === "passed");
  if (flaky.length === 0) return;
  yield heading(palette.yellow("FLAKY"), withCounts`${flaky.length} passed, but not every time`, view);
  const groups = new Map<string, { counts: string; tests: TestResult[] }>();
  for (const test of flaky) {
    const counts = withCounts`${test.passes} of ${test.counted}`;
    const key = JSON.stringify([counts, test.suite, test.name]);
    const group = groups.get(key) ?? { counts, tests: [] };
    group.tests.push(test);
    groups.set(key, group);
  }
  const rows = [...groups.values()].toSorted((a, b) => b.tests.length - a.tests.length);
  const widest = Math.max(...rows.map(({ counts }) => counts.length));
  for (const { counts, tests } of shownOf(rows, view)) {
    const ids = view.line(listIds(tests, view.options.verbose ? tests.length : mostNames));
    yield lines(view.wrap(`${palette.yellow("~")} ${counts.padEnd(widest)}   `, ids));
  }
  yield* renderRest(rows.length, "more", view);
}

/** The tests whose failures do not count. */
export function* renderAllowed({ suites }: RunResult, view: PrettyView): Iterable<string> {
  const quarantined = quarantinedTests(suites);
  if (quarantined.length === 0) return;
  yield heading("ALLOWED TO FAIL", plural(quarantined.length, "test"), view);
  for (const one of shownOf(quarantined, view)) yield lines(renderQuarantined(one, view));
  yield* renderRest(quarantined.length, "more", view);
}

function renderQuarantined(
  { suite, test, arm, cases, failed, errored, passesAgain, reason }: QuarantinedTest,
  view: PrettyView,
) {
  const { palette } = view;
  const name = view.line(`${suite}/${test}${arm === undefined ? "" : `~${arm}`}`);
  const why = view.line(reason);
  if (passesAgain) return view.wrap(`${palette.green("✓")} `, `${name}: passes again: remove allow_failure — ${why}`);
  const counts = [
    ...(failed > 0 ? [withCounts`${failed} failed`] : []),
    ...(errored > 0 ? [withCounts`${errored} errored`] : []),
  ];
  const what = counts.length === 0 ? "not in every trial" : counts.join(", ");
  const text = `${name}: ${cases === 1 ? what : `${what} of ${plural(cases, "case")}`} — ${why}`;
  return view.wrap(`${palette.yellow("~")} `, text);
}

const slowMs = 5_000;
const slowFactor = 3;
const mostSlow = 5;

type RanTest = Exclude<TestResult, { status: "skipped" }>;

/** The cases that took by far the longest, and what they waited for. Recorded times say nothing. */
export async function* renderSlow(result: RunResult, view: PrettyView): AsyncIterable<string> {
  const { run, suites } = result;
  if (run.scored !== undefined || run.replayed === true) return;
  const long: RanTest[] = [];
  for (const test of casesOf(suites)) if (test.status !== "skipped" && test.latencyMs > slowMs) long.push(test);
  if (long.length === 0) return;
  const latencies: number[] = [];
  for (const test of casesOf(suites)) if (test.status !== "skipped") latencies.push(test.latencyMs);
  const median = latencies.toSorted((a, b) => a - b)[Math.floor((latencies.length - 1) / 2)] ?? 0;
  const byLatency = long.toSorted((a, b) => a.latencyMs - b.latencyMs).toReversed();
  const slow = byLatency.filter(({ latencyMs }) => latencyMs > slowFactor * median);
  if (slow.length === 0) return;
  yield heading(view.palette.yellow("SLOW"), `median ${renderDuration(median)}`, view);
  const rows: { time: string; id: string; about: string }[] = [];
  for (const test of slow.slice(0, mostSlow)) {
    const about = describeWait(await slowestTrial(result, test));
    rows.push({ time: renderDuration(test.latencyMs), id: view.line(test.id), about: view.line(about) });
  }
  const widest = Math.max(8, ...rows.map(({ time }) => time.length + 2));
  const aboutWidth = Math.max(...rows.map(({ about }) => textWidth(about)));
  const room = view.columns - widest - 3;
  const isRoomy = view.columns >= 59;
  const idRoom = isRoomy ? room - aboutWidth - 2 : room;
  for (const { time, id, about } of rows) {
    const head = `${padWidthStart(time, widest)}   ${fitId(id, idRoom)}`;
    yield isRoomy ? `${padWidth(head, view.columns - aboutWidth)}${about}\n` : `${head}\n`;
  }
}

async function slowestTrial(result: RunResult, test: RanTest): Promise<TrialResult | null> {
  let slowest: TrialResult | null = null;
  for await (const trial of result.trials(test.id)) {
    if (slowest === null || trial.latencyMs > slowest.latencyMs) slowest = trial;
  }
  return slowest;
}

/** `9 turns, 8.1 s waiting for openai`: waits before further attempts included. */
function describeWait(trial: TrialResult | null): string {
  if (trial === null) return "";
  const waits = new Map<string, number>();
  for (const { attempts } of trial.turns) {
    for (const { provider, latencyMs, waitedMs } of attempts) {
      waits.set(provider, (waits.get(provider) ?? 0) + latencyMs + (waitedMs ?? 0));
    }
  }
  const [longest] = [...waits].toSorted(([, a], [, b]) => b - a);
  const waited = longest === undefined ? "" : `, ${renderDuration(longest[1])} waiting for ${longest[0]}`;
  return `${plural(trial.turns.length, "turn")}${waited}`;
}

const gateMessage = /^(?<name>.+?): (?<found>.+), expected (?<wanted>(?:at most|at least|exactly) .+)$/;

/** A line for each gate, those of the run first: what was found, and what is allowed. */
export function* renderGates({ gates, summary, comparison }: RunResult, view: PrettyView): Iterable<string> {
  if (gates.length === 0) return;
  const { palette } = view;
  // Red says that the agent did the wrong thing; a run of errors alone does not.
  const paint = summary.failed > 0 || comparison?.verdict === "regressed" ? palette.red : palette.magenta;
  yield heading("GATES", "", view);
  const rows = gates.map((gate) => {
    const { name = "", found = "", wanted = "" } = gateMessage.exec(view.line(gate.message))?.groups ?? {};
    const sign = gate.evaluated === false ? palette.dim("–") : gate.pass ? palette.green("✓") : paint("✗");
    return { sign, name, found, wanted, message: view.line(gate.message) };
  });
  const names = Math.max(0, ...rows.map(({ name }) => textWidth(name)));
  const founds = Math.max(0, ...rows.map(({ found }) => textWidth(found)));
  for (const { sign, name, found, wanted, message } of rows) {
    const text = name === "" ? message : `${padWidth(name, names)}   ${padWidth(found, founds)}   ${wanted}`;
    yield lines(view.wrap(`${sign} `, text));
  }
}

function shownOf<T>(all: readonly T[], { options }: PrettyView): readonly T[] {
  return options.verbose ? all : all.slice(0, mostLines);
}

function* renderRest(total: number, what: string, { options }: PrettyView): Iterable<string> {
  const hidden = total - mostLines;
  if (!options.verbose && hidden > 0) yield withCounts`  … and ${hidden} ${what}; --verbose shows all of them\n`;
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join("");
}
