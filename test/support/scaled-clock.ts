import type { Clock } from "../../packages/core/src/values/clock.js";

export interface ScaledClock extends Clock {
  /** Stops the time. */
  close(): void;
}

/** How often the clock looks at what is due, and the most that it goes on at once, in real milliseconds. */
const tickMs = 4;
const longestTickMs = 12;

/**
 * A clock that runs `factor` times as fast as the real one, so that long deadlines can be tried unshortened against
 * real servers. Time in which the process did not get to run does not count: a busy machine makes everything later,
 * and nothing time out.
 */
export function createScaledClock({ factor }: { factor: number }): ScaledClock {
  const epoch = Date.now();
  let time = 0;
  let lookedAt = performance.now();
  const timers = new Set<{ due: number; callback: () => void }>();

  const elapsed = (): number => time + Math.min(performance.now() - lookedAt, longestTickMs) * factor;

  const tick = (): void => {
    time = elapsed();
    lookedAt = performance.now();
    const due = [...timers].filter((timer) => timer.due <= time).toSorted((a, b) => a.due - b.due);
    for (const timer of due) if (timers.delete(timer)) timer.callback();
  };
  const ticking = setInterval(tick, tickMs);

  const after = (ms: number, callback: () => void): (() => void) => {
    const timer = { due: elapsed() + ms, callback };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  return {
    now: () => Math.floor(epoch + elapsed()),
    monotonic: elapsed,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const finish = (): void => {
          cancel();
          signal?.removeEventListener("abort", finish);
          resolve();
        };
        const cancel = after(ms, finish);
        signal?.addEventListener("abort", finish, { once: true });
      }),
    close: () => clearInterval(ticking),
  };
}
