/** How the trials of one case ended. */
export interface CaseCounts {
  passes: number;
  /** Trials that count: all but those that were errored from outside. */
  trials: number;
}
