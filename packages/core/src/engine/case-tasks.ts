import type { PlannedCase, RunPlan } from "../plan/run-plan.js";
import { CaseProgress } from "./case-progress.js";
import { TrialWaves, type PendingTrial } from "./early-end/trial-waves.js";
import type { EarlierTrial, EarlierTrials, RecordedTrial } from "./ports.js";
import type { RunHalt } from "./run-halt.js";
import type { RunRecords } from "./run-records.js";

type Unscored = EarlierTrial | RecordedTrial;

export interface CaseTaskSettings {
  plan: Pick<RunPlan, "cases">;
  earlier: EarlierTrials | undefined;
  halt: RunHalt;
  records: RunRecords;
  /** Makes a trial, or scores it again, and takes it in. */
  completeTrial(progress: CaseProgress, trial: number, earlier?: Unscored): Promise<void>;
}

/** The trials of a run in the order in which they start; null if none can start before one that is under way ends. */
export function* caseTasks(settings: CaseTaskSettings): Generator<(() => Promise<void>) | null> {
  const { plan, halt, records } = settings;
  const waves = new TrialWaves(
    () => halt.whyHalted() !== null,
    (progress) => records.end(progress),
  );
  for (const planned of plan.cases()) {
    yield* waves.ready();
    const begun = beginCase(planned, settings);
    if (begun === null) continue;
    const { progress, earlier } = begun;
    const pending = pendingTrials(progress, earlier, settings.completeTrial);
    if (progress.mayEndEarly && planned.leftOut === undefined) {
      waves.open(progress, pending);
      continue;
    }
    for (const { isDue, run: start } of pending) {
      if (isDue || halt.whyNotNow(planned) === null) yield start;
      else if (progress.leaveOut()) records.end(progress);
    }
  }
  while (waves.isOpen) {
    yield* waves.ready();
    if (waves.isOpen) yield null;
  }
}

/** Takes in what an earlier session of the run found. Null if nothing is left to run. */
function beginCase(planned: PlannedCase, { earlier: stored, halt, records }: CaseTaskSettings) {
  const earlier = takeEarlier(planned, stored);
  const reason = planned.skip ?? (earlier.size === 0 ? halt.whyNotNow(planned) : null);
  if (reason !== null) {
    records.skip(planned, reason);
    return null;
  }
  const progress = new CaseProgress(planned);
  records.start(planned);
  for (const one of earlier.values()) {
    if (!one.isScored) continue;
    records.takeOver(planned, one.trial);
    progress.finish(one.trial);
  }
  if (!progress.isOver && !progress.endEarly()) return { progress, earlier };
  records.end(progress);
  return null;
}

/** The trials of a case that are left to do, in their order. `earlier`: those of an earlier session, by number. */
function pendingTrials(
  progress: CaseProgress,
  earlier: ReadonlyMap<number, Unscored>,
  completeTrial: CaseTaskSettings["completeTrial"],
): readonly PendingTrial[] {
  const pending: PendingTrial[] = [];
  for (let trial = 1; trial <= progress.planned.runs; trial += 1) {
    const before = earlier.get(trial);
    if (before?.isScored === true) continue;
    const isFirst = earlier.size === 0 && trial === 1;
    const isDue = before !== undefined || isFirst;
    pending.push({ trial, isDue, run: () => completeTrial(progress, trial, before) });
  }
  return pending;
}

const none: ReadonlyMap<number, Unscored> = new Map();

/** The trials of a case that an earlier session of the run finished, by their number. */
export function takeEarlier(planned: PlannedCase, earlier: EarlierTrials | undefined): ReadonlyMap<number, Unscored> {
  if (earlier === undefined || planned.skip !== null) return none;
  const taken = new Map<number, Unscored>();
  for (let trial = 1; trial <= planned.runs; trial += 1) {
    const found = earlier.take(planned, trial);
    if (found !== null) taken.set(trial, found);
  }
  return taken;
}
