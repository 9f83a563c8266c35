import type { ProviderErrorDetails } from "../../errors/provider-error-details.js";
import { kindlmError, type KindlmError } from "../../errors/kindlm-error.js";
import type { Clock } from "../../values/clock.js";
import type { AttemptOutcome } from "./attempt-outcome.js";

const closed: BreakerState = { phase: "closed", period: 0, failures: 0, limitedSince: null };

/** A server that has let nothing through for so long is no longer busy but closed: limits are per minute mostly. */
const longestLimitMs = 120_000;

export type BreakerPhase = BreakerState["phase"];

export interface BreakerChange {
  /** Null for the whole key. */
  model: string | null;
  to: BreakerPhase;
  /** When it opens: why. */
  error: KindlmError | null;
  /** When it opens: how long until a probe, milliseconds; null when there will be none. */
  resetMs: number | null;
}

export type BreakerAnswer =
  | { admitted: true; admission: ModelAdmission }
  /** `error` is a PROVIDER_CIRCUIT_OPEN that says why. */
  | { admitted: false; error: KindlmError };

export interface ModelAdmission extends Admission {
  readonly model: string;
}

/** Keeps calls from a server that is down. One per provider and key; each model has its own state. */
export interface CircuitBreaker {
  /** Why an attempt would be refused now (PROVIDER_CIRCUIT_OPEN); null when it would not. Changes nothing. */
  refusal(model: string): KindlmError | null;
  /** Asks for one attempt, to be followed by exactly one `leave`. */
  enter(model: string): BreakerAnswer;
  /** `error`: that of an attempt that failed or whose key was refused; else null. */
  leave(admission: ModelAdmission, outcome: AttemptOutcome, error: KindlmError | null): void;
  phaseOf(model: string): BreakerPhase;
}

/**
 * A breaker. It opens for a model after a number of failed attempts in a row, and for the whole key at the first refusal
 * of the key. A model gets one probe after `resetMs`. A refused key gets none: it does not become valid in a run, and
 * every further request would only show the same.
 */
export function createCircuitBreaker(
  settingsOf: (model: string) => BreakerSettings,
  clock: Clock,
  onChange?: (change: BreakerChange) => void,
): CircuitBreaker {
  const states = new Map<string, BreakerState>();
  let keyRefusal: KindlmError | null = null;

  const become = (model: string, before: BreakerState, after: BreakerState): void => {
    if (before === after) return;
    states.set(model, after);
    if (before.phase === after.phase) return;
    const opens = after.phase === "open";
    onChange?.({
      model,
      to: after.phase,
      error: opens ? after.why.error : null,
      resetMs: opens ? settingsOf(model).resetMs : null,
    });
  };

  const stateOf = (model: string): BreakerState => states.get(model) ?? closed;

  const refusal = (model: string): KindlmError | null => {
    if (keyRefusal !== null) return circuitOpenError(keyRefusal, { model, failures: null, reopensInMs: null });
    const state = stateOf(model);
    if (state.phase === "closed") return null;
    const { error, failures } = state.why;
    if (state.phase === "half_open") {
      return state.probing ? circuitOpenError(error, { model, failures, reopensInMs: null }) : null;
    }
    const reopensInMs = state.until - clock.monotonic();
    return reopensInMs <= 0 ? null : circuitOpenError(error, { model, failures, reopensInMs });
  };

  return {
    refusal,
    enter(model) {
      const before = stateOf(model);
      if (keyRefusal === null && before.phase === "closed") {
        return { admitted: true, admission: { model, period: before.period } };
      }
      const error = refusal(model);
      if (error !== null) return { admitted: false, error };
      const { state, admission } = admit(before, clock.monotonic());
      become(model, before, state);
      return { admitted: true, admission: { model, period: (admission ?? state).period } };
    },
    leave(admission, outcome, error) {
      const { model } = admission;
      if (outcome === "key_refused" && keyRefusal === null && error !== null) {
        keyRefusal = error;
        onChange?.({ model: null, to: "open", error, resetMs: null });
      }
      const before = stateOf(model);
      become(model, before, settle(before, { admission, outcome, error }, settingsOf(model), clock.monotonic()));
    },
    phaseOf: (model) => (keyRefusal === null ? stateOf(model).phase : "open"),
  };
}

interface CircuitRefusal {
  model: string;
  /** In a row; null for a refused key. */
  failures: number | null;
  /** Until a probe is let through, milliseconds; null when one is under way, or when there will be none. */
  reopensInMs: number | null;
}

/** Says why a call was not made. */
function circuitOpenError(last: KindlmError, { model, failures, reopensInMs }: CircuitRefusal): KindlmError {
  const { provider, apiKeyEnv } = providerDetailsOf(last);
  const why =
    failures === null
      ? `because the API key was refused. ${last.message}`
      : `after ${failures} failed ${failures === 1 ? "call" : "calls in a row"}. The last: ${last.message}`;
  const details: ProviderErrorDetails = { provider, model, retryable: false };
  if (failures === null) details.keyRefused = true;
  if (reopensInMs !== null) details.reopensInMs = reopensInMs;
  if (apiKeyEnv !== undefined) details.apiKeyEnv = apiKeyEnv;
  return kindlmError("PROVIDER_CIRCUIT_OPEN", `The circuit breaker of ${provider} opened ${why}`, {
    details,
  });
}

function providerDetailsOf(error: KindlmError): Pick<ProviderErrorDetails, "provider" | "apiKeyEnv"> {
  switch (error.code) {
    case "PROVIDER_AUTH_ERROR":
    case "PROVIDER_RATE_LIMIT":
    case "PROVIDER_API_ERROR":
    case "PROVIDER_TIMEOUT":
    case "PROVIDER_NETWORK_ERROR":
      return error.details ?? { provider: "The provider" };
    default:
      return { provider: "The provider" };
  }
}

interface BreakerSettings {
  /** Failed attempts in a row that open it, at least 1. */
  failures: number;
  /** How long it stays open before it lets a probe through. */
  resetMs: number;
}

/** Where one model stands. Values only: {@link admit} and {@link settle} make the next one. */
type BreakerState =
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
interface BreakerCause {
  /** Failed attempts in a row, those of probes included. */
  readonly failures: number;
  /** The last of them. */
  readonly error: KindlmError;
}

/**
 * A period ends when the breaker opens. What an attempt shows counts only in the period in which it was admitted: what
 * was in flight at the opening neither closes it later nor keeps it open for longer.
 */
interface Admission {
  readonly period: number;
}

/** Asks for an attempt. Without an admission it is refused. */
function admit(state: BreakerState, now: number): { state: BreakerState; admission: Admission | null } {
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

interface Settlement {
  admission: Admission;
  outcome: AttemptOutcome;
  /** The error of a failed attempt. */
  error: KindlmError | null;
}

/**
 * Takes in how an admitted attempt ended. In the closed state failures count, answers start the count again, and a
 * 429 does neither: it proves that something answers, not that the model does. Only when nothing but 429s has come for
 * two minutes do they count as failures, since a run would wait indefinitely. A probe decides alone: a failure opens for
 * another while, and so does a 429 where 429s opened it; an answer or any other 429 closes; and one that showed nothing
 * gives its place to the next call.
 */
function settle(
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
