import type { EarlierTrial, RecordedTrial } from "./ports.js";
import type { CaseProgress } from "./run-case.js";
import type { PendingTrial } from "./trial-waves.js";

type Taken = EarlierTrial | RecordedTrial;
type RunTrial = (progress: CaseProgress, trial: number, earlier?: Taken) => Promise<void>;

/** The trials of a case that are left to do, in their order. `earlier`: those of an earlier session, by number. */
export function pendingTrials(
  progress: CaseProgress,
  earlier: ReadonlyMap<number, Taken>,
  runTrial: RunTrial,
): readonly PendingTrial[] {
  const pending: PendingTrial[] = [];
  for (let trial = 1; trial <= progress.planned.runs; trial += 1) {
    const before = earlier.get(trial);
    if (before?.isScored === true) continue;
    const isFirst = earlier.size === 0 && trial === 1;
    const isDue = before !== undefined || isFirst;
    pending.push({ trial, isDue, run: () => runTrial(progress, trial, before) });
  }
  return pending;
}
