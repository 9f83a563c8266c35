import type { ErrorCode } from "../errors/kindlm-error.js";

/** How a run would have gone in one rehearsal. Time is the rehearsal's own; nothing of it was waited for. */
export interface ChaosOutcome {
  scenario: string;
  /** What the provider did, completing `The provider …`. */
  summary: string;
  /** Name of the provider that misbehaved. */
  provider: string;
  verdict: "passed" | "failed";
  exitCode: 0 | 1;
  /** Why the verdict is `failed`; empty when it is not. */
  reasons: readonly string[];
  /** Cases whose conversation came to its end, ended with an error, and were not started. */
  answered: number;
  errored: number;
  skipped: number;
  errorsByCode: Partial<Record<ErrorCode, number>>;
  requests: number;
  retries: number;
  /** Turns that another model answered. */
  fallbacks: number;
  /** How often the circuit breaker opened. */
  circuitOpened: number;
  durationMs: number;
  /** Gates of the config that failed. */
  trippedGates: readonly string[];
  /** What may be worth a change in the config. */
  advice: readonly string[];
}

export interface ChaosReport {
  /** How many of the cases were rehearsed; large runs are cut. */
  cases: number;
  totalCases: number;
  /** Provider by provider, from harmless to hopeless. */
  outcomes: readonly ChaosOutcome[];
}
