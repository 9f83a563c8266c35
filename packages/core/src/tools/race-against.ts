import type { Clock } from "../values/clock.js";
import { renderDuration } from "../values/duration.js";
import type { HandlerOutcome } from "./tool-handler.js";

/**
 * Runs the action against a deadline and the caller's signal. It is raced and not only signalled: an action that
 * ignores its signal is left behind.
 */
export function raceAgainst(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
  action: (signal: AbortSignal) => Promise<HandlerOutcome>,
  whenLate: () => HandlerOutcome | null = () => null,
): Promise<HandlerOutcome> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const end = (outcome: HandlerOutcome): void => {
      settle();
      controller.abort();
      resolve(outcome);
    };
    const onAbort = (): void => end(aborted("The tool call was interrupted"));
    const cancelTimer = clock.after(timeoutMs, () =>
      end(whenLate() ?? aborted(`The tool did not answer within ${renderDuration(timeoutMs)}`)),
    );
    const settle = (): void => {
      cancelTimer();
      signal.removeEventListener("abort", onAbort);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) return onAbort();
    // A throw before the first await must end the timer, too.
    new Promise<HandlerOutcome>((done) => done(action(controller.signal))).then(resolve, reject).finally(settle);
  });
}

function aborted(message: string): HandlerOutcome {
  return { ok: false, failure: { errorType: "aborted", message } };
}
