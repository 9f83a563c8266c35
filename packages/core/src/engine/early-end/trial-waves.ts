import type { CaseProgress } from "../case-progress.js";

/** A trial that is to be run, or to be judged again. */
export interface PendingTrial {
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
