import { attributionOf, type KindlmError } from "../errors/kindlm-error.js";
import { wilsonInterval } from "../statistics/wilson.js";

/** What a verdict needs of a trial. */
export interface TrialOutcome {
  status: "passed" | "failed" | "errored";
  error: KindlmError | null;
}

export interface CaseVerdict {
  status: "passed" | "failed" | "errored";
  passes: number;
  /** Trials that count: all but those errored from outside. */
  counted: number;
  mixed: boolean;
  /** Wilson 95% interval of passes ÷ counted. */
  interval: readonly [number, number] | null;
  /** Position of the trial that shows best why: the first failed, else the first errored, else the last. */
  decisive: number;
}

/**
 * The verdict of a case that needs `required` passes: passed when it has them; failed when it could no longer reach
 * them even if every errored trial had passed; otherwise errored. Trials that never ran count as errored.
 */
export function decideVerdict(trials: readonly TrialOutcome[], required: number, runs: number): CaseVerdict {
  const passes = count(trials, (trial) => trial.status === "passed");
  const failures = count(trials, (trial) => trial.status === "failed");
  const outside = count(trials, (trial) => trial.error !== null && attributionOf(trial.error) === "outside");
  const counted = trials.length - outside;
  const reachable = runs - failures;
  return {
    status: passes >= required ? "passed" : reachable < required ? "failed" : "errored",
    passes,
    counted,
    mixed: passes > 0 && passes < counted,
    interval: wilsonInterval(passes, counted),
    decisive: decisiveIndex(trials),
  };
}

function decisiveIndex(trials: readonly TrialOutcome[]): number {
  const failed = trials.findIndex((trial) => trial.status === "failed");
  if (failed !== -1) return failed;
  const errored = trials.findIndex((trial) => trial.status === "errored");
  return errored === -1 ? trials.length - 1 : errored;
}

function count<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let total = 0;
  for (const item of items) if (holds(item)) total += 1;
  return total;
}
