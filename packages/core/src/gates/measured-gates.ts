import type { GateConfig } from "../config/gate-config.js";
import type { CaseSummary } from "../summary/case-summary.js";
import type { SuiteTotals } from "../summary/run-totals.js";
import { toolErrorTypes } from "../transcript/tool-failure.js";
import { renderDuration } from "../values/duration.js";
import { plural } from "../values/plural.js";
import type { FailuresRead } from "./gate-place.js";

/** What a run and a suite have in common. */
export type GatedSummary = CaseSummary & SuiteTotals;

/** A gate that compares one number of a summary with its limit. */
export interface MeasuredGate {
  /** As in the config. */
  name: string;
  limitOf(config: GateConfig): number | undefined;
  /** Null when it cannot be told. */
  actualOf(summary: GatedSummary): number | null;
  atLeast: boolean;
  readsFailures: FailuresRead;
  render(value: number): string;
  /** Why nothing can be said about it; null when something can. */
  exempts?(summary: GatedSummary): string | null;
}

const dollars = (usd: number): string => `$${Number(usd.toFixed(4))}`;

/** Every one of them; a new one joins with one entry. */
export const measuredGates: readonly MeasuredGate[] = [
  {
    name: "pass_rate",
    limitOf: (config) => config.passRate,
    actualOf: (summary) => summary.passRate,
    atLeast: true,
    readsFailures: "all",
    render: percent,
  },
  {
    name: "first_try",
    limitOf: (config) => config.firstTry,
    actualOf: (summary) => summary.firstTryRate ?? null,
    atLeast: true,
    // Tests without retry_until fail unseen by it.
    readsFailures: "none",
    render: percent,
  },
  {
    name: "judge_avg",
    limitOf: (config) => config.judgeAvg,
    actualOf: (summary) => summary.judgeScore?.mean ?? null,
    atLeast: true,
    // A test whose judge is content may fail by any other assertion.
    readsFailures: "none",
    render: (score) => String(Number(score.toFixed(4))),
  },
  {
    name: "errored",
    limitOf: (config) => config.errored,
    actualOf: (summary) => summary.errored,
    atLeast: false,
    readsFailures: "none",
    render: String,
  },
  {
    name: "cost",
    limitOf: (config) => config.costUsd,
    actualOf: (summary) => summary.costUsd,
    atLeast: false,
    readsFailures: "none",
    render: dollars,
  },
  {
    name: "latency_p95",
    limitOf: (config) => config.latencyP95Ms,
    actualOf: (summary) => summary.latencyMs?.p95 ?? null,
    atLeast: false,
    readsFailures: "none",
    render: renderDuration,
    exempts: ({ replayed }) =>
      replayed === undefined ? null : `${plural(replayed, "request")} replayed, which tells no latency of today`,
  },
  {
    name: "tool_errors",
    limitOf: (config) => config.toolErrors?.total,
    actualOf: ({ toolErrors }) => Object.values(toolErrors).reduce((sum, count) => sum + count, 0),
    atLeast: false,
    readsFailures: "none",
    render: String,
  },
  ...toolErrorTypes.map((type): MeasuredGate => ({
    name: `tool_errors.${type}`,
    limitOf: (config) => config.toolErrors?.[type],
    actualOf: (summary) => summary.toolErrors[type] ?? 0,
    atLeast: false,
    readsFailures: "none",
    render: String,
  })),
];

function percent(rate: number): string {
  return `${Number((rate * 100).toFixed(1))}%`;
}

/** Sums of rounded numbers, such as three scores of 0.7, must not trip a gate by their last bit. */
const rounding = 1e-9;

export function isWithin({ atLeast }: MeasuredGate, actual: number, limit: number): boolean {
  const slack = Math.abs(limit) * rounding;
  return atLeast ? actual >= limit - slack : actual <= limit + slack;
}
