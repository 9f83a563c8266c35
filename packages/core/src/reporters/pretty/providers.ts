import type { ProviderTotals, RunResult } from "../../engine/run-result.js";
import { renderDuration } from "../../values/duration.js";
import { plural } from "./case-names.js";
import type { PrettyView } from "./pretty-view.js";

/**
 * How calls to each provider went: always where some failed, and with `--verbose` what the limiter settled on too.
 */
export function* renderProviders({ summary }: RunResult, view: PrettyView): Iterable<string> {
  const { verbose } = view.options;
  const shown = summary.providers.filter((totals) => verbose || totals.errors > 0);
  if (shown.length === 0) return;
  yield `\n${view.palette.bold("Providers")}\n`;
  for (const totals of shown) {
    const facts = [plural(totals.requests, "request"), renderErrors(totals)];
    if (verbose) facts.push(...renderLimits(totals));
    yield `  ${view.line(`${totals.provider}: ${facts.filter((fact) => fact !== "").join(" · ")}`)}\n`;
  }
  if (!verbose) return;
  const { timeToFirstTokenMs: first } = summary;
  if (first !== null) {
    yield `  time to first token: p50 ${renderDuration(first.p50)}, p95 ${renderDuration(first.p95)}\n`;
  }
  const failures = Object.entries(summary.failures).filter(([, count]) => count > 0);
  if (failures.length > 0) {
    yield `  failures by category: ${failures.map(([category, count]) => `${category} ${count}`).join(", ")}\n`;
  }
}

function renderErrors({ errors, errorRate, errorsByCode }: ProviderTotals): string {
  if (errors === 0) return "none failed";
  const codes = Object.entries(errorsByCode).map(([code, count]) => `${count} ${code}`);
  return `${errors} failed (${Number((errorRate * 100).toFixed(1))} %: ${codes.join(", ")})`;
}

function renderLimits({ limiter }: ProviderTotals): string[] {
  if (limiter === null) return [];
  const paces = limiter.lanes.flatMap(({ lane, ratePerSecond }) =>
    ratePerSecond === null ? [] : `${lane} at ${Number(ratePerSecond.toFixed(1))} per second`,
  );
  return [`limiter settled on ${limiter.limit} at a time${paces.length === 0 ? "" : `, ${paces.join(", ")}`}`];
}
