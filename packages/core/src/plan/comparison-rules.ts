import type { TestFilters } from "./run-options.js";

/** How a run is compared with the baselines of its suites. */
export interface ComparisonRules {
  /** The p-value from which on a suite is regressed. */
  alpha: number;
  /** The drop of the mean rate that does not matter. */
  margin: number;
  /**
   * The patterns that the cases of the run were chosen by: what they take and is not in the run is not in the config
   * either. Null where the cases were chosen by more than their ids.
   */
  sees: Pick<TestFilters, "tests" | "exclude"> | null;
}

/** Of a run that does not say. */
export const unknownRules: ComparisonRules = { alpha: 0.05, margin: 0.05, sees: null };
