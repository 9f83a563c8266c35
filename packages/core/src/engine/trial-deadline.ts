import { setMaxListeners } from "node:events";
import { kindlmError, type KindlmError } from "../errors/kindlm-error.js";
import type { Clock } from "../values/clock.js";
import { renderDuration } from "../values/duration.js";
import type { RunAbort } from "./run-abort.js";

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
 * What stops one trial after the other. A signal that was never aborted serves the next trial too: making one, and
 * listening to it, is a good part of what a trial costs. So does the place among those that are notified of the run's stop.
 */
interface PooledSignal {
  controller: AbortController;
  /** The trial that has it now; null while none has. */
  trial: OpenedDeadline | null;
  /** Lets go of the run. */
  forget(): void;
}

/** A class, because each trial has one, and a getter in a literal would give each its own hidden class. */
class OpenedDeadline implements TrialDeadline {
  reason: KindlmError | null = null;
  readonly signal: AbortSignal;
  private readonly pooled: PooledSignal;
  private readonly idle: PooledSignal[];
  private readonly cancel: () => void;

  constructor(pooled: PooledSignal, idle: PooledSignal[], trialMs: number, clock: Clock) {
    this.pooled = pooled;
    this.idle = idle;
    this.signal = pooled.controller.signal;
    pooled.trial = this;
    this.cancel = clock.after(trialMs, () => this.stop(trialTimeout(trialMs)));
  }

  stop(why: KindlmError): void {
    this.reason ??= why;
    this.pooled.controller.abort();
  }

  release(): void {
    this.cancel();
    this.pooled.trial = null;
    if (this.signal.aborted) this.pooled.forget();
    else this.idle.push(this.pooled);
  }
}

/** Deadlines for the trials of a run. */
export function createDeadlines(clock: Clock, run: RunAbort): OpenDeadline {
  const idle: PooledSignal[] = [];
  return (trialMs) => {
    const deadline = new OpenedDeadline(idle.pop() ?? createPooledSignal(run), idle, trialMs, clock);
    if (run.stopped !== null) deadline.stop(run.stopped);
    return deadline;
  };
}

function createPooledSignal(run: RunAbort): PooledSignal {
  const controller = new AbortController();
  // All tools that a trial runs side by side listen to its end, however many: that is not a leak to warn about.
  setMaxListeners(0, controller.signal);
  const pooled: PooledSignal = { controller, trial: null, forget: run.onStop((why) => pooled.trial?.stop(why)) };
  return pooled;
}

function trialTimeout(ms: number): KindlmError {
  return kindlmError("ENGINE_TIMEOUT", `The trial took longer than ${renderDuration(ms)}`, {
    details: { scope: "trial", ms },
  });
}
