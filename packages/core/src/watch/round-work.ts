// Types of the library, apart from those that name what is not published with it.

/** Which trials are run although they are kept. */
export type Again = "changed" | "errored" | "all";

/** Work on some cases. */
export interface RoundWork {
  cases: number;
  /** Of them, those that no kept run has. */
  newCases: number;
  /** Trials that are run, and finished ones whose assertions are evaluated again. */
  trials: number;
  judged: number;
  /** Models and targets of the trials that are run. */
  agents: readonly string[];
  /** Judges of those that are only evaluated again. */
  judges: readonly string[];
  /** What it costs by the last cost of the same cases, US dollars, without `unknown` cases. */
  costUsd: number;
  unknown: number;
}
