import type { Clock } from "../../values/clock.js";

/** Why an action was not waited for any longer. */
export type GivenUp = "timeout" | "abort";

/**
 * Waits for an action until a deadline or an abort, whichever comes first; the action is notified by its signal, and left
 * behind. Rejects as the action does. The deadline is put off once where `mayHaveMore` says so.
 */
export async function race<T>(
  action: (signal: AbortSignal) => Promise<T> | T,
  { clock, signal, timeoutMs }: { clock: Clock; signal: AbortSignal; timeoutMs: number },
  mayHaveMore: () => boolean,
): Promise<{ done: true; value: T } | { done: false; reason: GivenUp }> {
  if (signal.aborted) return { done: false, reason: "abort" };
  const controller = new AbortController();
  let release: () => void = () => {};
  const given = new Promise<{ done: false; reason: GivenUp }>((resolve) => {
    const giveUp = (reason: GivenUp): void => {
      resolve({ done: false, reason });
      controller.abort();
    };
    let cancel = clock.after(timeoutMs, () => {
      if (!mayHaveMore()) return giveUp("timeout");
      cancel = clock.after(timeoutMs, () => giveUp("timeout"));
    });
    const onAbort = (): void => giveUp("abort");
    signal.addEventListener("abort", onAbort, { once: true });
    release = () => {
      cancel();
      signal.removeEventListener("abort", onAbort);
    };
  });
  const finished = Promise.resolve()
    .then(() => action(controller.signal))
    .then((value) => ({ done: true as const, value }));
  return Promise.race([finished, given]).finally(release);
}
