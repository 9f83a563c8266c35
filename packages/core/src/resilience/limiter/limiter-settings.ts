import type { MinuteLimits } from "./minute-window.js";

/**
 * A change worth reporting: the first refusal of a round trip, the limit that grows again after one, or a wait of a second
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
  /** How many calls there will be, as far as is known; retries and further turns do not matter. */
  expectedCalls: number;
  /** Further limits of one lane alone. */
  minuteLimitsOf?: (lane: string) => MinuteLimits;
  onChange?: (change: LimiterChange) => void;
}
