import type { Clock } from "../../values/clock.js";

/** The time, and the only timer of a limiter. */
export class WakeUp {
  readonly #clock: Clock;
  readonly #onWake: () => void;
  #at = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | null = null;
  #latest = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, onWake: () => void) {
    this.#clock = clock;
    this.#onWake = onWake;
  }

  /** The clock's time, which never lies before a timer that has ended: a timer may be early, and a clock may stand. */
  now(): number {
    this.#latest = Math.max(this.#latest, this.#clock.monotonic());
    return this.#latest;
  }

  /** Wakes at `time`, or earlier if that was asked for before. */
  setFor(time: number, now: number): void {
    if (time >= this.#at) return;
    this.#cancel?.();
    this.#at = time;
    this.#cancel = this.#clock.after(Math.max(1, Math.ceil(time - now)), () => {
      this.#latest = Math.max(this.#latest, this.#at);
      this.clear();
      this.#onWake();
    });
  }

  clear(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#at = Number.POSITIVE_INFINITY;
  }
}
