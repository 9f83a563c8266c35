import type { SafeRegex } from "../matchers/safe-regex.js";

/** How a provider call is retried. Delays in milliseconds. */
export interface RetryPolicy {
  /** All attempts, the first included. */
  maxAttempts: number;
  initialDelayMs: number;
  maxDelayMs: number;
  multiplier: number;
  /** Uniform extra delay in [0, jitter × delay]. */
  jitter: number;
  /** HTTP statuses that may be tried again beyond those that always may. */
  statuses: readonly number[];
  /** Messages or bodies that make an API error retryable. */
  patterns: readonly SafeRegex[];
  /** A server's hint above this fails the call at once. */
  maxRetryAfterMs: number;
  /** All attempts and waits together may take this long; null for no limit. */
  totalMs: number | null;
}

const common = { statuses: [], patterns: [], maxRetryAfterMs: 60_000, totalMs: null } as const;

export const retryPresetNames = ["default", "conservative", "aggressive", "production", "disabled"] as const;
export type RetryPreset = (typeof retryPresetNames)[number];

/** The presets of the config, by name. */
export const retryPresets = {
  default: { ...common, maxAttempts: 3, initialDelayMs: 1_000, maxDelayMs: 30_000, multiplier: 2, jitter: 0.1 },
  conservative: { ...common, maxAttempts: 3, initialDelayMs: 2_000, maxDelayMs: 30_000, multiplier: 2, jitter: 0.1 },
  aggressive: {
    ...common,
    maxAttempts: 5,
    initialDelayMs: 500,
    maxDelayMs: 20_000,
    multiplier: 1.5,
    jitter: 0.1,
    statuses: [500],
  },
  production: {
    ...common,
    maxAttempts: 3,
    initialDelayMs: 1_000,
    maxDelayMs: 20_000,
    multiplier: 2,
    jitter: 0.2,
    statuses: [500],
  },
  disabled: { ...common, maxAttempts: 1, initialDelayMs: 0, maxDelayMs: 0, multiplier: 1, jitter: 0 },
} as const satisfies Record<RetryPreset, RetryPolicy>;
