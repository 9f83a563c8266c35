import type { Clock } from "../values/clock.js";

type Raced<T> = { done: true; value: T } | { done: false; because: "timeout" | "abort" };

/**
 * Waits for a hook until its deadline or an abort. A hook that is waited for no longer is notified by its signal; what it
 * does then is of no interest, a late rejection included. Rejects as the hook does.
 */
export function raceHook<T>(
  hook: (signal: AbortSignal) => T | Promise<T>,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal },
): Promise<Raced<T>> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve({ done: false, because: "abort" });
    const controller = new AbortController();
    const giveUp = (because: "timeout" | "abort"): void => {
      settle();
      resolve({ done: false, because });
      controller.abort();
    };
    const onAbort = (): void => giveUp("abort");
    const cancelTimer = clock.after(timeoutMs, () => giveUp("timeout"));
    const settle = (): void => {
      cancelTimer();
      signal.removeEventListener("abort", onAbort);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const answer = new Promise<T>((answered) => answered(hook(controller.signal)));
    answer.then((value) => resolve({ done: true, value }), reject).finally(settle);
  });
}
