import type { TrialResult } from "@kindlm/core";
import { failingAssertions } from "@kindlm/core/program";

/** Trials that ended alike, in the order of the first of each group. */
export interface TrialGroup {
  /** Its transcript stands for all. */
  shown: TrialResult;
  /** Numbers of the trials, that of the shown one included. */
  trials: readonly number[];
}

/**
 * Groups trials with the same status, the same calls with the same arguments and outcomes, and the same failing
 * assertions. What the agent said may differ.
 */
export function groupTrials(trials: readonly TrialResult[]): TrialGroup[] {
  const groups = new Map<string, { shown: TrialResult; trials: number[] }>();
  for (const trial of trials) {
    const key = pathOf(trial);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { shown: trial, trials: [trial.trial] });
    else group.trials.push(trial.trial);
  }
  return [...groups.values()];
}

function pathOf({ status, error, toolCalls, assertions }: TrialResult): string {
  const calls = toolCalls.map(({ tool, args, error: failure, fault }) => [tool, args, failure?.errorType, fault?.id]);
  return JSON.stringify([status, error?.code, calls, failingAssertions(assertions).map(({ type, id }) => [type, id])]);
}
