import { rateLimited } from "./api-error.js";

const windowMs = 60_000;

/** The most requests of one caller in a minute, by what it does. */
export const requestLimits = { read: 600, write: 240, login: 10, anonymous: 30 };
export type LimitKind = keyof typeof requestLimits;

/** Counts requests by caller and kind, in memory. */
export class RateLimits {
  /** In the order in which they began. */
  readonly #windows = new Map<string, { startMs: number; count: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How many callers are counted at the moment. */
  get size(): number {
    return this.#windows.size;
  }

  /** Throws an error with Retry-After if the caller has made all requests of its minute. */
  take(kind: LimitKind, caller: string): void {
    const now = this.#now();
    this.#forget(now);
    const key = `${kind} ${caller}`;
    const window = this.#windows.get(key) ?? { startMs: now, count: 0 };
    if (window.count === 0) this.#windows.set(key, window);
    window.count += 1;
    if (window.count > requestLimits[kind]) throw rateLimited(Math.ceil((window.startMs + windowMs - now) / 1_000));
  }

  /** Those whose minute is over are the first. A look at all would cost more the more callers an attacker invents. */
  #forget(now: number): void {
    for (const [key, { startMs }] of this.#windows) {
      if (now - startMs < windowMs) return;
      this.#windows.delete(key);
    }
  }
}
