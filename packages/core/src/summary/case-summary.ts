import type { MeanRate } from "../statistics/mean-rate.js";
import type { SuiteTotals } from "./run-totals.js";

/** pass@k and pass^k: that at least one of k trials passes, and that all of them do. */
export interface PassK {
  k: number;
  /** Unbiased, the mean over the cases. */
  passAtK: number;
  passHatK: number;
  /** Cases that have k trials; the others take no part. */
  cases: number;
}

/** What the trials of cases say of the agent, as far as it is without bias. */
export interface RateStatistics {
  /** Mean of the pass rates of the cases; null when none counts. */
  meanRate: MeanRate | null;
  /** errored from outside ÷ cases that ran; null when none did. */
  errorRate: number | null;
  /** For k from 1 to the most trials of a case; absent where every case has one. */
  passK?: readonly PassK[];
  /** Cases with `early_end`, which take no part in these rates; absent when there is none. */
  earlyEnd?: { cases: number; endedEarly: number };
}

/** The counts and rates of the cases of a run or a suite. */
export interface CaseSummary extends RateStatistics {
  total: number;
  passed: number;
  failed: number;
  errored: number;
  skipped: number;
  /** Of the failed ones, those that `allow_failure` keeps from counting. */
  allowedFailures: number;
  /** passed ÷ (passed + failed + errored by the agent's fault); null when nothing counts. */
  passRate: number | null;
  /** Wilson 95% interval of `passRate`. */
  interval: readonly [number, number] | null;
  /**
   * As `passRate`, of the cases with `retry_until` alone, counting as passed what would have passed by trials without a
   * rejected answer; null when none of them counts. Absent when no case has a `retry_until`.
   */
  firstTryRate?: number | null;
  /** Wilson 95% interval of `firstTryRate`. */
  firstTryInterval?: readonly [number, number] | null;
}

/** The results of a suite. */
export interface SuiteSummary extends CaseSummary, SuiteTotals {
  suite: string;
}
