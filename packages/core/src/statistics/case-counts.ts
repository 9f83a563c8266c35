import { record } from "../shape/record.js";
import { count } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";

/** How the trials of one case ended. */
export const caseCountsShape = record({
  passes: count,
  /** Trials that count: all but those that were errored from outside. */
  trials: count,
});
export type CaseCounts = Static<typeof caseCountsShape>;
