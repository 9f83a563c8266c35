import type { FailureCategory } from "../errors/error-table.js";
import type { ErrorCode } from "../errors/kindlm-error.js";
import type { JudgingRecord } from "../transcript/judging.js";
import type { SimulatedUserRecord } from "../transcript/simulated-user.js";
import type { ToolErrorType } from "../transcript/tool-failure.js";
import type { Usage } from "../transcript/usage.js";

/** What the limiter of a provider settled on. */
export interface SettledProvider {
  /** Name of the provider in the config. */
  provider: string;
  /** Calls at a time. */
  limit: number;
  /** How often the provider said that it was too much (429). */
  rateLimits: number;
  /** The models that were rate limited; the rate is null where no pace was learned. */
  lanes: readonly { lane: string; ratePerSecond: number | null; rateLimits: number }[];
}

/** How calls to one provider went. */
export interface ProviderTotals {
  /** Name of the provider in the config. */
  provider: string;
  requests: number;
  /** Requests that failed. */
  errors: number;
  /** errors ÷ requests. */
  errorRate: number;
  errorsByCode: Partial<Record<ErrorCode, number>>;
  /** Null when no limiter was asked. */
  limiter: Omit<SettledProvider, "provider"> | null;
}

/** A distribution over trials, milliseconds. */
export interface Quantiles {
  p50: number;
  p95: number;
}

/** The sums over all trials of a run. */
export interface RunTotals {
  /** Null when the price of a request is unknown. */
  costUsd: number | null;
  unpricedRequests: number;
  usage: Usage;
  /** Over trials that got an answer, milliseconds; null when there were none. */
  latencyMs: Quantiles | null;
  /** Of the first turn of trials whose answer was streamed; null when none was. */
  timeToFirstTokenMs: Quantiles | null;
  /** Of the agents under test; those of simulated users stand apart. */
  requests: number;
  retries: number;
  /** Turns that a model answered in place of the one under test. */
  fallbacks: number;
  /** Requests of agents and simulated users that recordings answered; absent when there were none. */
  replayed?: number;
  /** In the order of their first request. */
  providers: readonly ProviderTotals[];
  /** Everything that failed, also where it was made good: attempts, tool calls, trials. */
  failures: Readonly<Record<FailureCategory, number>>;
  /** Calls of tools that ended in an error, by type. */
  toolErrors: Partial<Record<ToolErrorType, number>>;
  /** The same, tool by tool. */
  toolErrorsByTool: Readonly<Record<string, Partial<Record<ToolErrorType, number>>>>;
  /** Scores of `judge` assertions, over all trials; absent when none gave one. */
  judgeScore?: JudgeScore;
  /** Simulated users, counted apart from the agents; absent when there were none. */
  simulatedUser?: SimulatedUserTotals;
  /** Judges and other models that assertions ask, counted apart from the agents; absent when none was asked. */
  judges?: JudgingTotals;
  /** Trials with an assertion that the baseline has no answer for yet; absent when there was none. */
  awaitingBaseline?: number;
  /** Messages that told an agent to go on after a tool error; absent when there was none. */
  nudges?: number;
  /** Calls that a fallback answered in place of a tool, tool by tool; absent when there was none. */
  toolFallbacks?: Readonly<Record<string, number>>;
}

/** What `judge` assertions made of all that they were asked about. */
export interface JudgeScore {
  /** From 0 to 1. */
  mean: number;
  /** Assertions that gave a score. */
  count: number;
}

/** The sums over the trials of one suite. */
export type SuiteTotals = Pick<
  RunTotals,
  "costUsd" | "unpricedRequests" | "usage" | "latencyMs" | "requests" | "replayed" | "toolErrors" | "judgeScore"
>;

/** What the simulated users of a run took. Their requests are part of `providers`, their cost is part of `costUsd`. */
export type SimulatedUserTotals = Pick<
  SimulatedUserRecord,
  "turns" | "requests" | "costUsd" | "unpricedRequests" | "usage"
>;

/** What judges took. Their requests are part of `providers`, their cost is part of `costUsd`. */
export type JudgingTotals = Pick<JudgingRecord, "requests" | "costUsd" | "unpricedRequests" | "usage">;
