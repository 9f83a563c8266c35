import type { CaseProgress } from "../case-progress.js";

/** A trial that is to be run, or to be judged again. */
export interface PendingTrial {
  trial: number;
  /** Starts it, whatever happened meanwhile: it was paid for, or is the first of its case. */
  isDue: boolean;
  run(): Promise<void>;
}

/** The cases whose trials start in waves, because the results of the last ones may make the next ones unnecessary. */
export interface TrialWaves {
  /** Begins a case that is not over. */
  open(progress: CaseProgress, pending: readonly PendingTrial[]): void;
  /** The trials that can be started now; more come when these have ended. */
  ready(): Iterable<() => Promise<void>>;
  /** There are trials to be started, or there may be when those under way have ended. */
  readonly isOpen: boolean;
}

interface OpenCase {
  progress: CaseProgress;
  pending: PendingTrial[];
  /** Of the wave: still to be started. */
  startable: number;
  underWay: number;
}

/** `isHalted`: no further trial is to be started; `conclude` ends a case that will get no more. */
export function createTrialWaves(isHalted: () => boolean, conclude: (progress: CaseProgress) => void): TrialWaves {
  const startable: OpenCase[] = [];
  let underWay = 0;

  const prepare = (open: OpenCase): void => {
    if (open.progress.isOver || open.pending.length === 0) return;
    open.startable = Math.min(open.pending.length, open.progress.nextWaveSize());
    startable.push(open);
  };

  const start = (open: OpenCase, { run }: PendingTrial): (() => Promise<void>) => {
    open.underWay += 1;
    underWay += 1;
    return async () => {
      await run();
      underWay -= 1;
      open.underWay -= 1;
      if (open.underWay === 0 && open.startable === 0) prepare(open);
    };
  };

  const leaveOut = ({ progress, pending }: OpenCase): void => {
    for (let left = pending.length; left > 0; left -= 1) progress.leaveOut();
    pending.length = 0;
    if (progress.isOver) conclude(progress);
  };

  return {
    open(progress, pending) {
      prepare({ progress, pending: [...pending], startable: 0, underWay: 0 });
    },
    *ready() {
      for (let open = startable[0]; open !== undefined; open = startable[0]) {
        const next = open.pending[0];
        if (open.startable === 0 || next === undefined) {
          startable.shift();
          continue;
        }
        if (!next.isDue && isHalted()) {
          open.startable = 0;
          leaveOut(open);
          continue;
        }
        open.pending.shift();
        open.startable -= 1;
        yield start(open, next);
      }
    },
    get isOpen() {
      return underWay > 0 || startable.length > 0;
    },
  };
}
