import type { KindlmError } from "../../errors/kindlm-error.js";
import type { AttemptOutcome } from "./attempt-outcome.js";

export interface BreakerSettings {
  /** Failed attempts in a row that open it, at least 1. */
  failures: number;
  /** How long it stays open before it lets a probe through. */
  resetMs: number;
}

/** Where one model stands. Values only: {@link admit} and {@link settle} make the next one. */
export type BreakerState =
  | {
      readonly phase: "closed";
      readonly period: number;
      readonly failures: number;
      /** When the first of the 429s came that nothing but 429s followed; null for none. */
      readonly limitedSince: number | null;
    }
  | { readonly phase: "open"; readonly period: number; readonly until: number; readonly why: BreakerCause }
  | { readonly phase: "half_open"; readonly period: number; readonly probing: boolean; readonly why: BreakerCause };

/** Why calls are refused. */
export interface BreakerCause {
  /** Failed attempts in a row, those of probes included. */
  readonly failures: number;
  /** The last of them. */
  readonly error: KindlmError;
}

/**
 * A period ends when the breaker opens. What an attempt tells counts only in the period in which it was admitted: what
 * was in flight at the opening neither closes it later nor keeps it open for longer.
 */
export interface Admission {
  readonly period: number;
}

export const closed: BreakerState = { phase: "closed", period: 0, failures: 0, limitedSince: null };

/** A server that has let nothing through for so long is no longer busy but closed: limits are per minute mostly. */
const longestLimitMs = 120_000;

/** Asks for an attempt. Without an admission it is refused. */
export function admit(state: BreakerState, now: number): { state: BreakerState; admission: Admission | null } {
  switch (state.phase) {
    case "closed":
      return { state, admission: state };
    case "open": {
      if (now < state.until) return { state, admission: null };
      const probing = { phase: "half_open", period: state.period, probing: true, why: state.why } as const;
      return { state: probing, admission: probing };
    }
    case "half_open": {
      if (state.probing) return { state, admission: null };
      const probing = { ...state, probing: true };
      return { state: probing, admission: probing };
    }
  }
}

export interface Settlement {
  admission: Admission;
  outcome: AttemptOutcome;
  /** The error of a failed attempt. */
  error: KindlmError | null;
}

/**
 * Takes in how an admitted attempt ended. In the closed state failures count, answers start the count again, and a
 * 429 does neither: it proves that something answers, not that the model does. Only when nothing but 429s has come for
 * two minutes do they count as failures, since a run would wait indefinitely. A probe decides alone: a failure opens for
 * another while, and so does a 429 where 429s opened it; an answer or any other 429 closes; and one that told nothing
 * gives its place to the next call.
 */
export function settle(
  state: BreakerState,
  { admission, outcome, error }: Settlement,
  { failures: allowed, resetMs }: BreakerSettings,
  now: number,
): BreakerState {
  if (admission.period !== state.period || state.phase === "open") return state;
  if (error !== null && (outcome === "failed" || (outcome === "rate_limited" && isShutOut(state, now)))) {
    const failures = 1 + (state.phase === "closed" ? state.failures : state.why.failures);
    if (state.phase === "closed" && failures < allowed) return { ...state, failures };
    return { phase: "open", period: state.period + 1, until: now + resetMs, why: { failures, error } };
  }
  if (state.phase === "half_open") {
    if (outcome === "unknown") return { ...state, probing: false };
    return { ...closed, period: state.period };
  }
  if (outcome === "rate_limited") return state.limitedSince === null ? { ...state, limitedSince: now } : state;
  const isClean = state.failures === 0 && state.limitedSince === null;
  return outcome === "answered" && !isClean ? { ...closed, period: state.period } : state;
}

/** Whether a further 429 means that the server no longer accepts anything. */
function isShutOut(state: Exclude<BreakerState, { phase: "open" }>, now: number): boolean {
  if (state.phase === "half_open") return state.why.error.code === "PROVIDER_RATE_LIMIT";
  return state.limitedSince !== null && now - state.limitedSince >= longestLimitMs;
}
