import type { AssertionResult } from "../../assertions/assertion-result.js";
import type { FailureCategory } from "../../errors/error-table.js";
import { categoryOf, type ErrorCode } from "../../errors/kindlm-error.js";
import { wasSent, type AttemptRecord } from "../../transcript/attempt.js";
import type { AuxiliaryTotals } from "../../transcript/auxiliary-totals.js";
import { everyCall, everyTurn } from "../../transcript/delegated-calls.js";
import { failureOf } from "../../transcript/failure-of.js";
import type { SimulatedUserTotals } from "../../transcript/simulated-user.js";
import type { ToolErrorType } from "../../transcript/tool-failure.js";
import type { TurnRecord } from "../../transcript/turn.js";
import type { Usage } from "../../transcript/usage.js";
import type { TrialResult } from "../run-result.js";
import { knownCostOf } from "./known-cost.js";

export type ToolErrorCounts = Partial<Record<ToolErrorType, number>>;

/** How the requests of a trial to one provider went. */
export interface ProviderMeasures {
  provider: string;
  requests: number;
  /** Requests that failed. */
  errors: number;
  byCode: Readonly<Partial<Record<ErrorCode, number>>>;
}

/** What a trial took, whether or not its result counts. */
export interface SpentMeasures {
  /** US dollars, also if a part of the cost is unknown. */
  knownCostUsd: number;
  unpricedRequests: number;
  usage: Usage;
  /** HTTP requests of the agent, retries included. */
  requests: number;
  retries: number;
  /** Turns that another model answered. */
  fallbacks: number;
  /** Requests that recordings answered. */
  replayed: number;
  /** In the order of their first request, those of simulated users and judges last. */
  providers: readonly ProviderMeasures[];
  /** Failed attempts by where the failure lies. */
  attemptFailures: Readonly<Partial<Record<FailureCategory, number>>>;
  /** Null if there was none. */
  simulatedUser: SimulatedUserTotals | null;
  judges: AuxiliaryTotals | null;
}

/** All that the sums of a run and its suites need of a trial: numbers, without anything that was said. */
export interface TrialMeasures extends SpentMeasures, ResultMeasures {}

/** What counts of a trial in addition to what it took. */
export interface ResultMeasures {
  /** Null if there was no answer, so that the time says nothing. */
  latencyMs: number | null;
  firstTokenMs: number | null;
  nudges: number;
  awaitsBaseline: boolean;
  /** Where the failure lies that ended the trial; null if an attempt already counts it, or there was none. */
  failure: FailureCategory | null;
  /** Calls of tools that ended in an error, in their order. */
  toolErrors: readonly { tool: string; errorType: ToolErrorType }[];
  /** Tools that a fallback answered for, in the order of the calls. */
  toolFallbacks: readonly string[];
  /** Scores of judges, in the order of the assertions. */
  judgeScores: readonly number[];
}

export function measureTrial(trial: TrialResult): TrialMeasures {
  return { ...measureSpent(trial), ...measureResult(trial) };
}

export function measureResult(trial: TrialResult): ResultMeasures {
  const { error } = trial;
  const toolErrors: { tool: string; errorType: ToolErrorType }[] = [];
  const toolFallbacks: string[] = [];
  for (const call of everyCall(trial.toolCalls)) {
    if (call.fallback !== undefined) toolFallbacks.push(call.tool);
    const failed = failureOf(call);
    if (failed !== undefined) toolErrors.push({ tool: call.tool, errorType: failed.errorType });
  }
  const isAnswered = trial.turns.some((turn) => turn.finishReason !== null) || isTimed(trial);
  return {
    latencyMs: isAnswered ? trial.latencyMs : null,
    firstTokenMs: trial.turns[0]?.timeToFirstTokenMs ?? null,
    nudges: trial.nudges?.length ?? 0,
    awaitsBaseline: trial.assertions.some((assertion) => assertion.awaitsBaseline === true),
    // An error that an attempt ended with is counted with the attempt.
    failure: error !== null && error.origin?.attempt === undefined ? categoryOf(error) : null,
    toolErrors,
    toolFallbacks,
    judgeScores: scoresOf(trial.assertions),
  };
}

export function measureSpent(trial: TrialResult): SpentMeasures {
  const requests = new RequestCounts();
  for (const turn of everyTurn(trial)) requests.addTurn(turn);
  const { simulatedUser, judging } = trial;
  for (const call of simulatedUser?.calls ?? []) requests.addHelp(call);
  for (const call of judging?.calls ?? []) requests.addHelp(call);
  const { retries, fallbacks, replayed, providers, failures } = requests;
  // Written out rather than spread: this is done for each trial.
  return {
    knownCostUsd: knownCostOf(trial),
    unpricedRequests: trial.unpricedRequests,
    usage: trial.usage,
    requests: trial.attempts,
    retries,
    fallbacks,
    replayed,
    providers,
    attemptFailures: failures,
    simulatedUser: simulatedUser === undefined ? null : { turns: simulatedUser.turns, ...totalsOf(simulatedUser) },
    judges: judging === undefined ? null : totalsOf(judging),
  };
}

function totalsOf({ requests, costUsd, unpricedRequests, usage }: AuxiliaryTotals): AuxiliaryTotals {
  return { requests, costUsd, unpricedRequests, usage };
}

/** A transcript may contain the latency of its answers, but has no turns. */
function isTimed({ recorded, latencyMs }: TrialResult): boolean {
  return recorded === true && latencyMs > 0;
}

/** Groups may hold judges; an unanswered or skipped judge gives no score. */
function scoresOf(assertions: readonly AssertionResult[]): number[] {
  const scores: number[] = [];
  for (const { type, score, error, skipped, parts } of assertions) {
    if (parts !== undefined) scores.push(...scoresOf(parts));
    if (type === "judge" && error === undefined && skipped !== true) scores.push(score);
  }
  return scores;
}

interface Counts extends ProviderMeasures {
  byCode: Partial<Record<ErrorCode, number>>;
}

class RequestCounts {
  readonly providers: Counts[] = [];
  readonly failures: Partial<Record<FailureCategory, number>> = {};
  retries = 0;
  fallbacks = 0;
  replayed = 0;

  addTurn(turn: TurnRecord): void {
    if (turn.fallback !== null) this.fallbacks += 1;
    this.addHelp(turn);
    turn.attempts.forEach(({ waitedMs }, index) => {
      // Another model that is asked immediately is not a retry; neither is a wait after which nothing was sent.
      if (waitedMs !== null && index < turn.attempts.length - 1) this.retries += 1;
    });
  }

  /** A call of a simulated user or a judge. */
  addHelp({ attempts, replayed }: TurnRecord): void {
    // The answer of a service has no attempts.
    if (replayed === true && attempts.length === 0) this.replayed += 1;
    for (const attempt of attempts) this.#addAttempt(attempt);
  }

  #addAttempt(attempt: AttemptRecord): void {
    const { provider, error } = attempt;
    if (attempt.replayed === true) this.replayed += 1;
    let counts = this.providers.find((known) => known.provider === provider);
    if (counts === undefined) {
      counts = { provider, requests: 0, errors: 0, byCode: {} };
      this.providers.push(counts);
    }
    const isSent = wasSent(attempt);
    if (isSent) counts.requests += 1;
    if (error === null) return;
    if (isSent) counts.errors += 1;
    counts.byCode[error.code] = (counts.byCode[error.code] ?? 0) + 1;
    const category = categoryOf(error);
    this.failures[category] = (this.failures[category] ?? 0) + 1;
  }
}
