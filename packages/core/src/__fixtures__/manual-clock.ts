import type { Clock } from "../values/clock.js";

/** A clock that advances only on request, or jumps over every sleep. */
export interface ManualClock extends Clock {
  /** Moves time on and runs what has become due, in order. */
  advance(ms: number): void;
  /** Moves time on to what is due next, and runs it; false when nothing is. */
  advanceToNext(): boolean;
  /** All sleeps so far, milliseconds. */
  readonly sleeps: readonly number[];
}

/** `jump: true` lets each sleep end at once while time moves on by its length. */
export function createManualClock({ jump = false, start = 0 } = {}): ManualClock {
  let time = start;
  const timers = new Set<{ due: number; callback: () => void }>();
  const sleeps: number[] = [];
  const advance = (ms: number): void => {
    const end = time + ms;
    for (;;) {
      const [next] = [...timers].filter((timer) => timer.due <= end).toSorted((a, b) => a.due - b.due);
      if (next === undefined) break;
      timers.delete(next);
      time = Math.max(time, next.due);
      next.callback();
    }
    time = end;
  };
  const after = (ms: number, callback: () => void): (() => void) => {
    const timer = { due: time + ms, callback };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  return {
    now: () => time,
    monotonic: () => time,
    after,
    sleeps,
    sleep(ms, signal) {
      sleeps.push(ms);
      if (signal?.aborted) return Promise.resolve();
      if (jump) {
        time += ms;
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        const cancel = after(ms, resolve);
        signal?.addEventListener("abort", () => {
          cancel();
          resolve();
        });
      });
    },
    advance,
    advanceToNext() {
      let due = Number.POSITIVE_INFINITY;
      for (const timer of timers) due = Math.min(due, timer.due);
      if (due === Number.POSITIVE_INFINITY) return false;
      advance(Math.max(0, due - time));
      time = Math.max(time, due);
      return true;
    },
  };
}
