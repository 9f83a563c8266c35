import { percentile } from "../../statistics/percentile.js";
import type { Quantiles } from "../../summary/run-totals.js";

/** Null without values. */
export function quantilesOf(values: readonly number[]): Quantiles | null {
  // Numbers that are packed sort without a call per comparison.
  const sorted = Float64Array.from(values).toSorted();
  const p50 = percentile(sorted, 0.5);
  const p95 = percentile(sorted, 0.95);
  return p50 === null || p95 === null ? null : { p50, p95 };
}
