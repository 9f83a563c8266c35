import { rateLimited } from "./api-error.js";

const windowMs = 60_000;
/** Beyond as many callers, those whose minute is over are forgotten. */
const mostCallers = 10_000;

/** The most requests of one caller in a minute, by what it does. */
export const requestLimits = { read: 600, write: 240, login: 10, anonymous: 30 };
export type LimitKind = keyof typeof requestLimits;

/** Counts requests by caller and kind, in memory. */
export class RateLimits {
  readonly #windows = new Map<string, { startMs: number; count: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Throws an error with Retry-After if the caller has made all requests of its minute. */
  take(kind: LimitKind, caller: string): void {
    const now = this.#now();
    const key = `${kind} ${caller}`;
    let window = this.#windows.get(key);
    if (window === undefined || now - window.startMs >= windowMs) {
      if (this.#windows.size >= mostCallers) this.#forget(now);
      window = { startMs: now, count: 0 };
      this.#windows.set(key, window);
    }
    window.count += 1;
    if (window.count > requestLimits[kind]) throw rateLimited(Math.ceil((window.startMs + windowMs - now) / 1_000));
  }

  #forget(now: number): void {
    for (const [key, { startMs }] of this.#windows) if (now - startMs >= windowMs) this.#windows.delete(key);
  }
}
