import type { Clock } from "./clock.js";

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
