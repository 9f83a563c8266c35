import type { TrialResult } from "@kindlm/core";

/** What took time in a trial. */
interface Timed {
  /** Milliseconds since the epoch. */
  startedAt?: number;
  /** A recording answered, in the time that it took when it was made. */
  replayed?: true;
}

/**
 * The time of a trial, from its start. What did not happen in that time, such as a judge of a later session or the
 * answer of a recording, follows what came before.
 */
export class TrialClock {
  /** Milliseconds. */
  nowMs = 0;
  readonly #startedAt: number | undefined;
  readonly #durationMs: number;

  constructor({ startedAt, durationMs }: Pick<TrialResult, "startedAt" | "durationMs">) {
    this.#startedAt = startedAt;
    this.#durationMs = durationMs;
  }

  /** When something began that takes so long. The clock is at its end then, unless it was later before. */
  take(timed: Timed, durationMs: number): number {
    const startMs = this.#startOf(timed);
    this.nowMs = Math.max(this.nowMs, startMs + durationMs);
    return startMs;
  }

  #startOf({ startedAt, replayed }: Timed): number {
    if (startedAt === undefined || this.#startedAt === undefined) return this.nowMs;
    const startMs = startedAt - this.#startedAt;
    if (startMs < 0 || startMs > this.#durationMs) return this.nowMs;
    return replayed === true ? Math.max(startMs, this.nowMs) : startMs;
  }
}
