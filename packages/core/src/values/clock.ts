/** Time, passed in so tests can control it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start, never going back. */
  monotonic(): number;
  /** Waits. Ends early, without an error, when the signal aborts; the caller looks at the signal. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after `ms`, unless cancelled by the returned function. */
  after(ms: number, callback: () => void): () => void;
}

/** Node ends a longer timer immediately instead of late. About 25 days. */
const longestTimerMs = 2_147_483_647;

/** The machine's own clock. A wait longer than 25 days ends after 25 days. */
export function createSystemClock(): Clock {
  const after = (ms: number, callback: () => void): (() => void) => {
    const timer = setTimeout(callback, Math.min(ms, longestTimerMs));
    return () => clearTimeout(timer);
  };
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after,
    sleep: sleepBy(after),
  };
}

/** The `sleep` of a clock that calls back in this way. */
export function sleepBy(after: Clock["after"]): Clock["sleep"] {
  return (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const finish = (): void => {
        cancel();
        signal?.removeEventListener("abort", finish);
        resolve();
      };
      const cancel = after(ms, finish);
      signal?.addEventListener("abort", finish, { once: true });
    });
}
