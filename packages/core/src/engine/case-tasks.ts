import type { PlannedCase, RunPlan } from "../plan/run-plan.js";
import { CaseProgress } from "./case-progress.js";
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

/** A trial that is to be run, or to be judged again. */
interface PendingTrial {
  trial: number;
  /** Starts it, whatever happened meanwhile: it was paid for, or is the first of its case. */
  isDue: boolean;
  run(): Promise<void>;
}

interface OpenCase {
  progress: CaseProgress;
  pending: PendingTrial[];
  /** Of the wave: still to be started. */
  startable: number;
  underWay: number;
}

/** The cases whose trials start in waves, because the results of the last ones may make the next ones unnecessary. */
export class TrialWaves {
  readonly #isHalted: () => boolean;
  readonly #conclude: (progress: CaseProgress) => void;
  readonly #startable: OpenCase[] = [];
  #underWay = 0;

  /** `isHalted`: no further trial is to be started; `conclude` ends a case that will get no more. */
  constructor(isHalted: () => boolean, conclude: (progress: CaseProgress) => void) {
    this.#isHalted = isHalted;
    this.#conclude = conclude;
  }

  /** There are trials to be started, or there may be when those under way have ended. */
  get isOpen(): boolean {
    return this.#underWay > 0 || this.#startable.length > 0;
  }

  /** Begins a case that is not over. */
  open(progress: CaseProgress, pending: readonly PendingTrial[]): void {
    this.#prepare({ progress, pending: [...pending], startable: 0, underWay: 0 });
  }

  /** The trials that can be started now; more come when these have ended. */
  *ready(): Iterable<() => Promise<void>> {
    for (let open = this.#startable[0]; open !== undefined; open = this.#startable[0]) {
      const next = open.pending[0];
      if (open.startable === 0 || next === undefined) {
        this.#startable.shift();
        continue;
      }
      if (!next.isDue && this.#isHalted()) {
        open.startable = 0;
        this.#leaveOut(open);
        continue;
      }
      open.pending.shift();
      open.startable -= 1;
      yield this.#start(open, next);
    }
  }

  #prepare(open: OpenCase): void {
    if (open.progress.isOver || open.pending.length === 0) return;
    open.startable = Math.min(open.pending.length, open.progress.nextWaveSize());
    this.#startable.push(open);
  }

  #start(open: OpenCase, { run }: PendingTrial): () => Promise<void> {
    open.underWay += 1;
    this.#underWay += 1;
    return async () => {
      await run();
      this.#underWay -= 1;
      open.underWay -= 1;
      if (open.underWay === 0 && open.startable === 0) this.#prepare(open);
    };
  }

  #leaveOut({ progress, pending }: OpenCase): void {
    for (let left = pending.length; left > 0; left -= 1) progress.leaveOut();
    pending.length = 0;
    if (progress.isOver) this.#conclude(progress);
  }
}
