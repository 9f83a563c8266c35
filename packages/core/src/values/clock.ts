/** Time, handed in so that tests can own it. */
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

/** The machine's own clock. */
export function createSystemClock(): Clock {
  const after = (ms: number, callback: () => void): (() => void) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  };
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
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
  };
}
