import { attributionOf } from "../errors/kindlm-error.js";
import { wilsonInterval } from "../statistics/wilson.js";
import type { Outcome } from "./outcome.js";

export interface CaseVerdict {
  status: "passed" | "failed" | "errored";
  passes: number;
  /** Trials that count: all but those errored from outside. */
  counted: number;
  mixed: boolean;
  /** Wilson 95% interval of passes ÷ counted. */
  interval: readonly [number, number] | null;
}

/**
 * The verdict of a case that needs `required` passes: passed when it has them; failed when it could no longer reach
 * them even if every errored trial had passed; otherwise errored. Trials that never ran count as errored.
 */
export function decideVerdict(trials: readonly Outcome[], required: number, runs: number): CaseVerdict {
  const passes = count(trials, (trial) => trial.status === "passed");
  const failures = count(trials, (trial) => trial.status === "failed");
  const counted = count(trials, counts);
  const reachable = runs - failures;
  return {
    status: passes >= required ? "passed" : reachable < required ? "failed" : "errored",
    passes,
    counted,
    mixed: passes > 0 && passes < counted,
    interval: wilsonInterval(passes, counted),
  };
}

/** Says something about the agent: whatever ended it, it did not come from outside. */
export function counts({ error }: Pick<Outcome, "error">): boolean {
  return error === null || attributionOf(error) !== "outside";
}

function count<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let total = 0;
  for (const item of items) if (holds(item)) total += 1;
  return total;
}
