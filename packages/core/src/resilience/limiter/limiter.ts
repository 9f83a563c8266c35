import type { LimitedCall } from "./lane.js";
import type { MinuteLimits } from "./minute-window.js";

/**
 * A change worth telling: the first refusal of a round trip, the limit that grows again after one, or a wait of a second
 * and more for a limit per minute or a slow pace.
 */
export interface LimiterChange {
  lane: string;
  because: "rate_limit" | "growth" | "waiting";
  /** Calls at a time, of all lanes together. */
  limit: number;
  /** Starts per second of this lane; null while nothing is known to limit them. */
  ratePerSecond: number | null;
  /** How long this lane's calls wait from now, milliseconds; 0 for no pause. */
  pausedMs: number;
}

export interface LimiterSettings extends MinuteLimits {
  /** Calls at a time, at most. */
  concurrency: number;
  /** Further limits of one lane alone. */
  minuteLimitsOf?: (lane: string) => MinuteLimits;
  onChange?: (change: LimiterChange) => void;
}

/** What the limiter settled on. */
export interface SettledLimits {
  /** Calls at a time. */
  limit: number;
  rateLimits: number;
  /** The lanes that were rate limited. */
  lanes: readonly { lane: string; ratePerSecond: number | null; rateLimits: number }[];
}

/** Decides when calls to one provider with one key begin. Several models share it, each in a lane of its own. */
export interface Limiter {
  /**
   * Runs `attempt` once there is room, and answers as it does; null, without running it, when the signal aborts or
   * `release` is called first.
   * The attempt tells how it went, by `succeeded` or `rateLimited`, before it settles, so that the next call begins by
   * what it told; by neither for any other failure. It must not throw before it returns its promise.
   */
  run<T>(
    lane: string,
    estimatedTokens: number,
    signal: AbortSignal,
    attempt: (call: LimitedCall) => Promise<T>,
  ): Promise<T | null>;
  /** `usedTokens`: the real number; null where it is not known and the estimate stays. */
  succeeded(call: LimitedCall, usedTokens: number | null): void;
  /**
   * The server refused the call (429). `hintMs`: how long it asks to wait from now; null where it gave no hint, or one
   * that nobody will wait for.
   */
  rateLimited(call: LimitedCall, hintMs: number | null): void;
  /** Ends the wait of all calls of a lane, or of all lanes for null: they would only wait to be refused. */
  release(lane: string | null): void;
  readonly settled: SettledLimits;
}
