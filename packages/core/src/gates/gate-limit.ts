import type { CaseSummary } from "../summary/case-summary.js";
import type { ComparedSuite } from "../summary/comparison-result.js";
import type { SuiteTotals } from "../summary/run-totals.js";
import { renderDuration } from "../values/duration.js";

export type GateLimit = SummaryLimit | ComparisonLimit | ArmLimit;

/** The least that an arm must be above the first arm of its suite. */
export interface ArmLimit {
  arm: string;
  limit: number;
  part: string;
}

/** What a run and a suite have in common. */
export type GatedSummary = CaseSummary & SuiteTotals;

/** A limit on one figure of a summary. */
export interface SummaryLimit {
  limit: number;
  bound: "at least" | "at most";
  unit: GateUnit;
  /** Null if it is not known. */
  actualOf(summary: GatedSummary): number | null;
  /** Of a gate that limits several figures, as `validation` of `tool_errors.validation`. */
  part?: string;
  /** Why nothing can be said about the figure; null if something can. */
  exempts?(summary: GatedSummary): string | null;
}

/** What a comparison with the baselines must not find. */
export interface ComparisonLimit {
  limit: number;
  /** In at least one suite; each has a case that is compared. */
  find(compared: readonly ComparedSuite[]): ComparisonFinding;
}

/** Why there is nothing to say; or what was found, which is null if that is not known. */
export type ComparisonFinding =
  | { exemption: string }
  | {
      actual: number | null;
      pass: boolean;
      /** Goes on a sentence that begins with the name of the gate. */
      message: string;
    };

/** At most `limit` of something. `remarks` fail the gate whatever the limit is if `tripsAnyway`, or say more of the number. */
export function atMostFound(
  limit: number,
  { actual, remarks, tripsAnyway }: { actual: number; remarks: readonly string[]; tripsAnyway: boolean },
): ComparisonFinding {
  const more = remarks.length === 0 ? "" : `: ${remarks.join(", ")}`;
  return { actual, pass: actual <= limit && !tripsAnyway, message: `${actual}, expected at most ${limit}${more}` };
}

const renderers = {
  share: (rate: number): string => `${Number((rate * 100).toFixed(1))}%`,
  score: (score: number): string => String(Number(score.toFixed(4))),
  usd: (dollars: number): string => `$${Number(dollars.toFixed(4))}`,
  ms: renderDuration,
  count: String,
};

/** What a figure is measured in, which says how it is shown. */
export type GateUnit = keyof typeof renderers;

export function renderFigure(value: number, unit: GateUnit): string {
  return renderers[unit](value);
}

export function atLeast(limit: number, unit: GateUnit, actualOf: SummaryLimit["actualOf"]): SummaryLimit {
  return { limit, bound: "at least", unit, actualOf };
}

export function atMost(limit: number, unit: GateUnit, actualOf: SummaryLimit["actualOf"]): SummaryLimit {
  return { limit, bound: "at most", unit, actualOf };
}

/** Sums of rounded numbers, such as three scores of 0.7, must not fail a gate by their last bit. */
const rounding = 1e-9;

export function isWithin({ bound, limit }: SummaryLimit, actual: number): boolean {
  const slack = Math.abs(limit) * rounding;
  return bound === "at least" ? actual >= limit - slack : actual <= limit + slack;
}
