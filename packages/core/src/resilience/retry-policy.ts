import type { SafeRegex } from "../matchers/safe-regex.js";
import { attemptSync } from "../errors/boundary.js";
import { messageOf } from "../errors/message-of.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import { renderDuration } from "../values/duration.js";

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
  /** A server's hint above this fails the call immediately. */
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

interface RetryQuestion {
  error: KindlmError;
  /** The attempt that failed, from 1. */
  attempt: number;
  policy: RetryPolicy;
  /** Since the first attempt began, milliseconds. */
  elapsedMs: number;
  /** Uniform in [0, 1). */
  random(): number;
}

type RetryDecision =
  | { retry: true; waitMs: number; because: "backoff" | "hint" }
  /** `note`: why not, where that is news to the reader of the error. */
  | { retry: false; note: string | null };

/** Whether a failed attempt is made again, and after how long. Pure: everything it depends on is in the question. */
export function decideRetry(question: RetryQuestion): RetryDecision {
  const { error, attempt, policy, elapsedMs } = question;
  if (!mayWorkAgain(error, policy)) return { retry: false, note: null };
  const hintMs = hintOf(error);
  if (hintMs !== null && hintMs > policy.maxRetryAfterMs) {
    const [asked, allowed] = [renderDuration(hintMs), renderDuration(policy.maxRetryAfterMs)];
    return {
      retry: false,
      note: `the server asks to wait ${asked}, more than the ${allowed} that max_retry_after allows`,
    };
  }
  if (attempt >= policy.maxAttempts) return { retry: false, note: null };
  const waitMs = hintMs ?? backoffMs(attempt, policy, question.random());
  if (policy.totalMs !== null && elapsedMs + waitMs > policy.totalMs) {
    return { retry: false, note: `the ${renderDuration(policy.totalMs)} that retry.total allows are used up` };
  }
  return { retry: true, waitMs, because: hintMs === null ? "backoff" : "hint" };
}

/**
 * The wait after failed attempt `attempt` (from 1): min(initial × multiplier^(attempt−1), max), plus jitter that is
 * uniform in [0, jitter × that].
 */
export function backoffMs(attempt: number, policy: RetryPolicy, random: number): number {
  // Zero times a power too large for a number would be none.
  const grown = policy.initialDelayMs === 0 ? 0 : policy.initialDelayMs * policy.multiplier ** (attempt - 1);
  const base = Math.min(grown, policy.maxDelayMs);
  return base + base * policy.jitter * random;
}

/** Whether the same call may work again, by what the server said and, where it said nothing, by the policy. */
export function mayWorkAgain(error: KindlmError, policy: RetryPolicy): boolean {
  switch (error.code) {
    case "PROVIDER_RATE_LIMIT":
    case "PROVIDER_TIMEOUT":
    case "PROVIDER_NETWORK_ERROR":
      return error.details?.retryable !== false;
    case "PROVIDER_API_ERROR": {
      const details = error.details;
      if (details === undefined || details.quota === true) return false;
      // The server's own word is final; the policy decides only where nothing was said.
      return details.retryable ?? addedByPolicy(details.status, error, policy);
    }
    case "CLOUD_UPLOAD_ERROR":
    case "CLOUD_RATE_LIMIT":
      return error.details?.retryable === true;
    default:
      return false;
  }
}

function addedByPolicy(status: number | undefined, error: KindlmError, policy: RetryPolicy): boolean {
  if (status !== undefined && policy.statuses.includes(status)) return true;
  const body = error.code === "PROVIDER_API_ERROR" ? (error.details?.body ?? "") : "";
  return policy.patterns.some((pattern) => matches(pattern, error.message) || matches(pattern, body));
}

/** A pattern that runs out of time on what a server wrote says nothing about it. */
function matches(pattern: SafeRegex, text: string): boolean {
  const tested = attemptSync(() => pattern.test(text), messageOf);
  return tested.success && tested.data;
}

function hintOf(error: KindlmError): number | null {
  switch (error.code) {
    case "PROVIDER_RATE_LIMIT":
    case "PROVIDER_TIMEOUT":
    case "PROVIDER_API_ERROR":
    case "CLOUD_UPLOAD_ERROR":
    case "CLOUD_RATE_LIMIT":
      return error.details?.retryAfterMs ?? null;
    default:
      return null;
  }
}
