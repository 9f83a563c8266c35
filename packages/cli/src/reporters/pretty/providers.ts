import type { ProviderTotals, RunResult } from "@kindlm/core";
import { plural, renderDuration } from "@kindlm/core/program";
import type { PrettyView } from "./pretty-view.js";
import { percent } from "../../terminal/percent.js";

/** With `--verbose`: how calls to each provider went, and what its limiter settled on. */
export function* renderProviders({ summary }: RunResult, view: PrettyView): Iterable<string> {
  yield `\n${view.palette.bold("Providers")}\n`;
  for (const totals of summary.providers) {
    const facts = [plural(totals.requests, "request"), renderErrors(totals), ...renderLimits(totals)];
    yield `  ${view.line(`${totals.provider}: ${facts.join(" · ")}`)}\n`;
  }
  const { timeToFirstTokenMs: first } = summary;
  if (first !== null) {
    yield `  time to first token: p50 ${renderDuration(first.p50)}, p95 ${renderDuration(first.p95)}\n`;
  }
  const failures = Object.entries(summary.failures).filter(([, count]) => count > 0);
  if (failures.length > 0) {
    yield `  failures by category: ${failures.map(([category, count]) => `${category} ${count}`).join(", ")}\n`;
  }
}

/** The share of requests that failed, of the providers where some did; null when none did. */
export function renderProviderErrors({ summary }: RunResult): string | null {
  const shares = summary.providers
    .filter(({ errors }) => errors > 0)
    .map(({ provider, errors, requests, errorRate }) => `${provider} ${errors} of ${requests} (${percent(errorRate)})`);
  return shares.length === 0 ? null : `Failed requests: ${shares.join(", ")}`;
}

function renderErrors({ errors, errorRate, errorsByCode }: ProviderTotals): string {
  if (errors === 0) return "none failed";
  const codes = Object.entries(errorsByCode).map(([code, count]) => `${count} ${code}`);
  return `${errors} failed (${percent(errorRate)}: ${codes.join(", ")})`;
}

function renderLimits({ limiter }: ProviderTotals): string[] {
  if (limiter === null) return [];
  const paces = limiter.lanes.flatMap(({ lane, ratePerSecond }) =>
    ratePerSecond === null ? [] : `${lane} at ${renderPace(ratePerSecond)}`,
  );
  return [`limiter settled on ${limiter.limit} at a time${paces.length === 0 ? "" : `, ${paces.join(", ")}`}`];
}

/** Per minute where it is slow: no pace is 0 per second. */
function renderPace(perSecond: number): string {
  if (perSecond >= 1) return `${Number(perSecond.toFixed(1))} per second`;
  return `${Number((perSecond * 60).toPrecision(2))} per minute`;
}
