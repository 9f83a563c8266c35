import type { Clock } from "../../values/clock.js";

/** Why an action was not waited for any longer. */
export type GivenUp = "timeout" | "abort";

/**
 * Waits for an action until a deadline or an abort, whichever comes first; an action that ignores both is abandoned.
 * Rejects as the action does.
 */
export async function race<T>(
  action: () => Promise<T> | T,
  { clock, signal, timeoutMs }: { clock: Clock; signal: AbortSignal; timeoutMs: number },
): Promise<{ done: true; value: T } | { done: false; reason: GivenUp }> {
  if (signal.aborted) return { done: false, reason: "abort" };
  let release: () => void = () => {};
  const given = new Promise<{ done: false; reason: GivenUp }>((resolve) => {
    const cancel = clock.after(timeoutMs, () => resolve({ done: false, reason: "timeout" }));
    const onAbort = (): void => resolve({ done: false, reason: "abort" });
    signal.addEventListener("abort", onAbort, { once: true });
    release = () => {
      cancel();
      signal.removeEventListener("abort", onAbort);
    };
  });
  const finished = Promise.resolve()
    .then(action)
    .then((value) => ({ done: true as const, value }));
  return Promise.race([finished, given]).finally(release);
}
