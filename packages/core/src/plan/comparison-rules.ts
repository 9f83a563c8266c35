import { filtersShape } from "./run-options.js";
import { nullable } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { share } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";

const { tests, exclude } = filtersShape.sometimes;

/** How a run is compared with the baselines of its suites. */
export const comparisonRulesShape = record({
  /** The p-value from which on a suite is regressed. */
  alpha: share,
  /** The drop of the mean rate that does not matter. */
  margin: share,
  /**
   * The patterns that the cases of the run were chosen by: what they take and is not in the run is not in the config
   * either. Null where the cases were chosen by more than their ids.
   */
  sees: nullable(record({}, { tests, exclude })),
});
export type ComparisonRules = Static<typeof comparisonRulesShape>;

/** Of a run that does not say. */
export const unknownRules: ComparisonRules = { alpha: 0.05, margin: 0.05, sees: null };
