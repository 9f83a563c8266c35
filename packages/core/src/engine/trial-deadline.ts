import { setMaxListeners } from "node:events";
import type { KindlmError } from "../errors/kindlm-error.js";
import { kindlmError } from "../errors/kindlm-error.js";
import type { Clock } from "../values/clock.js";
import { renderDuration } from "../values/duration.js";

/** Stops everything that is in flight, with a reason. */
export interface StopSwitch {
  /** Why everything stops; null while it goes on. */
  readonly stopped: KindlmError | null;
  stop(reason: KindlmError): void;
  /** Calls back at the stop; returns how to no longer be called. */
  onStop(callback: (reason: KindlmError) => void): () => void;
}

export function createStopSwitch(): StopSwitch {
  const callbacks = new Set<(reason: KindlmError) => void>();
  let stopped: KindlmError | null = null;
  return {
    get stopped() {
      return stopped;
    },
    stop(reason) {
      if (stopped !== null) return;
      stopped = reason;
      for (const callback of callbacks) callback(reason);
    },
    onStop(callback) {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
}

/** The life of one trial: it ends by its deadline or with the run. */
export interface TrialDeadline {
  signal: AbortSignal;
  /** Why the trial was stopped from outside; null while it was not. */
  readonly reason: KindlmError | null;
  release(): void;
}

/** Opens the deadline of a trial that may take `trialMs`. */
export type OpenDeadline = (trialMs: number) => TrialDeadline;

/**
 * Deadlines for the trials of a run. A signal that was never aborted serves the next trial too: making one, and
 * listening to it, is a good part of what a trial costs.
 */
export function createDeadlines(clock: Clock, run: StopSwitch): OpenDeadline {
  const idle: AbortController[] = [];
  return (trialMs) => {
    const controller = idle.pop() ?? newController();
    let reason: KindlmError | null = null;
    const stop = (why: KindlmError): void => {
      reason ??= why;
      controller.abort();
    };
    const forget = run.onStop(stop);
    const cancel = clock.after(trialMs, () =>
      stop(
        kindlmError("ENGINE_TIMEOUT", `The trial took longer than ${renderDuration(trialMs)}`, {
          details: { scope: "trial", ms: trialMs },
        }),
      ),
    );
    if (run.stopped !== null) stop(run.stopped);
    return {
      signal: controller.signal,
      get reason() {
        return reason;
      },
      release() {
        cancel();
        forget();
        if (!controller.signal.aborted) idle.push(controller);
      },
    };
  };
}

function newController(): AbortController {
  const controller = new AbortController();
  // All tools that a trial runs side by side listen to its end, however many: that is no leak to warn of.
  setMaxListeners(0, controller.signal);
  return controller;
}
