import type { TestResult } from "../engine/run-result.js";

/** How a case came to its result. `mixed` and `ended_early` are of its trials; the rest is help that its agent had. */
export type Execution =
  | { kind: "mixed"; passes: number; trials: number; required: number }
  | { kind: "ended_early"; trials: number; runs: number }
  /** Another model answered for the one under test. */
  | { kind: "fallback"; model: string }
  | { kind: "nudged"; nudges: number; trials: number; runs: number }
  | { kind: "tool_fallback"; calls: number };

/**
 * What a reader of a report should know about how a case came to its result, in the order in which it is shown. Empty if
 * all trials ran, ended alike, and had no help.
 */
export function describeExecution(test: TestResult): readonly Execution[] {
  if (test.status === "skipped") return [];
  const { runs, passes, required, fallback, nudges, toolFallbacks, trialsRun: trials = runs } = test;
  const found: Execution[] = [];
  if (test.mixed) found.push({ kind: "mixed", passes, trials, required });
  if (test.endedEarly === true) found.push({ kind: "ended_early", trials, runs });
  if (fallback !== null) found.push({ kind: "fallback", model: fallback });
  if (nudges !== undefined) found.push({ kind: "nudged", nudges: nudges.count, trials: nudges.trials, runs });
  if (toolFallbacks !== undefined) found.push({ kind: "tool_fallback", calls: toolFallbacks });
  return found;
}
