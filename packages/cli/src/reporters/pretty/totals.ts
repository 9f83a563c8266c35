import type { RunResult, SimulatedUserTotals } from "@kindlm/core";
import { plural, renderDuration } from "@kindlm/core/program";
import { percent } from "../../terminal/percent.js";

/** Pass rate, cost, time and requests of the run on one line. */
export function renderTotals(result: RunResult): string {
  const { summary, run } = result;
  const toolFallbacks = Object.values(summary.toolFallbacks ?? {}).reduce((sum, calls) => sum + calls, 0);
  return [
    renderRate("Pass rate", summary.passRate, summary.interval),
    ...(summary.firstTryRate === undefined
      ? []
      : [renderRate("first try", summary.firstTryRate, summary.firstTryInterval ?? null)]),
    renderCost(summary),
    renderDuration(run.durationMs),
    `${plural(summary.requests, "request")}, ${plural(summary.retries, "retry").replace("retrys", "retries")}`,
    ...(summary.replayed === undefined ? [] : [`${summary.replayed} replayed (no cost, no latency)`]),
    ...renderHelpers("simulated users", summary.simulatedUser),
    ...renderHelpers("judges", summary.judges),
    ...(summary.awaitingBaseline === undefined ? [] : [renderAwaiting(summary.awaitingBaseline)]),
    ...(summary.nudges === undefined ? [] : [plural(summary.nudges, "nudge")]),
    ...(toolFallbacks === 0 ? [] : [plural(toolFallbacks, "tool fallback")]),
  ].join(" · ");
}

function renderAwaiting(trials: number): string {
  return `${plural(trials, "trial")} without a saved answer to compare with. Save answers: kindlm baseline set`;
}

type Spent = Pick<SimulatedUserTotals, "costUsd" | "unpricedRequests" | "requests">;

function renderHelpers(who: string, totals: Spent | undefined): readonly string[] {
  if (totals === undefined) return [];
  return [`${who} ${plural(totals.requests, "request")}, ${renderCost(totals)}`];
}

/** Where the conversations come from; null when the run held them. */
export function renderScoredLine({ run: { scored } }: RunResult): string | null {
  if (scored === undefined) return null;
  const source = scored.from === "run" ? `the run ${scored.run}` : scored.files.join(", ");
  return `Scored from ${source}: no model under test was called`;
}

/** Which part of a run this is, and what to do with it; null for a whole one. */
export function renderShardLine({ run: { shard }, summary }: RunResult): string | null {
  if (shard === undefined) return null;
  const all = shard.suites.reduce((sum, suite) => sum + suite.cases, 0);
  const here = summary.total === 0 ? "no case" : String(summary.total);
  return `Shard ${shard.index} of ${shard.of}: ${here} of ${plural(all, "case")}. kindlm merge joins the shards`;
}

/** `Summary: 3 passed, 1 failed, 1 errored, 2 skipped (Suite B)`: the skipped suites are named. */
export function renderSummaryLine(result: RunResult): string {
  const { passed, failed, errored, skipped, allowedFailures } = result.summary;
  const allowed = allowedFailures === 0 ? "" : ` (${allowedFailures} allowed)`;
  const broken = result.suites.filter((suite) => suite.status === "skipped");
  const inBroken = broken.reduce((sum, suite) => sum + suite.tests.length, 0);
  const names = broken.map((suite) => suite.name).join(", ");
  const where = broken.length === 0 ? "" : inBroken === skipped ? ` (${names})` : ` (${inBroken} in ${names})`;
  return `Summary: ${passed} passed, ${failed} failed${allowed}, ${errored} errored, ${skipped} skipped${where}`;
}

function renderRate(name: string, rate: number | null, interval: readonly [number, number] | null): string {
  if (rate === null) return `${name} unknown: no case counts`;
  const range = interval === null ? "" : ` (95% interval ${percent(interval[0])} to ${percent(interval[1])})`;
  return `${name} ${percent(rate)}${range}`;
}

function renderCost({ costUsd, unpricedRequests, requests }: Spent): string {
  if (costUsd !== null) return `cost $${costUsd.toFixed(costUsd > 0 && costUsd < 0.01 ? 6 : 4)}`;
  // An answer of a program is not a request of KindLM.
  const what = plural(unpricedRequests, requests === 0 ? "answer" : "request");
  return unpricedRequests > 0 ? `cost unknown (${what} without a price)` : "cost unknown";
}
