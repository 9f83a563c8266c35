import { sleepBy, type Clock } from "./clock.js";

interface Timer {
  due: number;
  /** Null once it is cancelled. */
  callback: (() => void) | null;
}

/**
 * A clock for a world without a network: whenever nothing is left to do, time jumps to what is due next. Hours pass in
 * milliseconds, in the same order of events. Whoever waits for anything but this clock is overtaken by it.
 */
export function createVirtualClock(startMs: number): Clock {
  let time = 0;
  let isPumping = false;
  // In the order in which they are due; what is due at the same time stays in the order in which it came.
  const timers: Timer[] = [];

  const pump = (): void => {
    const next = timers.shift();
    if (next === undefined) {
      isPumping = false;
      return;
    }
    // A turn of the event loop for each timer lets everything that it sets off come to rest before the next.
    setImmediate(pump);
    if (next.callback === null) return;
    time = Math.max(time, next.due);
    next.callback();
  };

  const after = (ms: number, callback: () => void): (() => void) => {
    const timer: Timer = { due: time + Math.max(0, ms), callback };
    timers.splice(placeOf(timers, timer.due), 0, timer);
    if (!isPumping) {
      isPumping = true;
      setImmediate(pump);
    }
    return () => {
      timer.callback = null;
    };
  };

  return {
    now: () => startMs + time,
    monotonic: () => time,
    after,
    sleep: sleepBy(after),
  };
}

/** Behind all that is due at the same time or before. */
function placeOf(timers: readonly Timer[], due: number): number {
  let low = 0;
  let high = timers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((timers[middle]?.due ?? Number.POSITIVE_INFINITY) <= due) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * A clock that runs `factor` times as fast as another one: what waits for an hour waits for seconds, and what is at work
 * in the world outside is not overtaken, as it would be by a clock that jumps.
 */
export function createAcceleratedClock(clock: Clock, factor: number): Clock {
  const startedAt = clock.now();
  const start = clock.monotonic();
  const elapsed = (): number => (clock.monotonic() - start) * factor;
  return {
    now: () => Math.floor(startedAt + elapsed()),
    monotonic: elapsed,
    after: (ms, callback) => clock.after(ms / factor, callback),
    sleep: (ms, signal) => clock.sleep(ms / factor, signal),
  };
}
