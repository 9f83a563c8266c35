import { failureOf } from "../../transcript/failure-of.js";
import { everyCall, everyTurn } from "../../transcript/delegated-calls.js";
import type { FailureCategory } from "../../errors/error-table.js";
import { categoryOf, type ErrorCode } from "../../errors/kindlm-error.js";
import type {
  ProviderTotals,
  RunTotals,
  SettledProvider,
  SimulatedUserTotals,
  SuiteTotals,
} from "../../summary/run-totals.js";
import { wasSent, type AttemptRecord } from "../../transcript/attempt.js";
import type { AuxiliaryTotals } from "../../transcript/auxiliary-totals.js";
import type { ToolErrorType } from "../../transcript/tool-failure.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { TurnRecord } from "../../transcript/turn.js";
import { addUsage, type Usage } from "../../transcript/usage.js";
import { addCosts } from "../../values/add-costs.js";
import type { TrialResult } from "../run-result.js";
import { knownCostOf } from "./known-cost.js";
import { quantilesOf } from "./quantiles-of.js";
import { SuiteTallies } from "./suite-tallies.js";

type ToolErrorCounts = Partial<Record<ToolErrorType, number>>;

interface ProviderCounts {
  requests: number;
  errors: number;
  byCode: Map<ErrorCode, number>;
}

/** The sums over all trials of a run. */
export class RunTally {
  readonly #suites = new SuiteTallies();
  readonly #firstTokens: number[] = [];
  readonly #toolErrors: ToolErrorCounts = {};
  readonly #toolErrorsByTool = new Map<string, ToolErrorCounts>();
  readonly #toolFallbacks = new Map<string, number>();
  readonly #failures = noFailures();
  readonly #providers = new Map<string, ProviderCounts>();
  #usage: Usage = { inputTokens: 0, outputTokens: 0 };
  #spentUsd = 0;
  #unpricedRequests = 0;
  #requests = 0;
  #retries = 0;
  #fallbacks = 0;
  #simulatedUser: SimulatedUserTotals | null = null;
  #judges: AuxiliaryTotals | null = null;
  #nudges = 0;
  #awaitingBaseline = 0;
  #replayed = 0;

  add(trial: TrialResult, suite: string): void {
    this.addSpent(trial, suite);
    this.#suites.addResult(trial, suite);
    const firstToken = trial.turns[0]?.timeToFirstTokenMs ?? null;
    if (firstToken !== null) this.#firstTokens.push(firstToken);
    this.#nudges += trial.nudges?.length ?? 0;
    if (trial.assertions.some((assertion) => assertion.awaitsBaseline)) this.#awaitingBaseline += 1;
    for (const call of everyCall(trial.toolCalls)) this.#addCall(call);
    // An error that an attempt ended with is counted with the attempt.
    const { error } = trial;
    if (error !== null && error.origin?.attempt === undefined) this.#failures[categoryOf(error)] += 1;
  }

  /**
   * Counts what a trial took, but not its result: it was run again since. `suite` is null where it is of
   * none that there is.
   */
  addSpent(trial: TrialResult, suite: string | null): void {
    const replayedBefore = this.#replayed;
    // What is known of the cost counts even where a part of it is not.
    this.#spentUsd += knownCostOf(trial);
    for (const turn of everyTurn(trial)) this.#addTurn(turn);
    const { simulatedUser: user, judging } = trial;
    if (user !== undefined) {
      this.#addHelp(user.calls);
      const turns = (this.#simulatedUser?.turns ?? 0) + user.turns;
      this.#simulatedUser = { ...sumOf(this.#simulatedUser, user), turns };
    }
    if (judging !== undefined) {
      this.#addHelp(judging.calls);
      this.#judges = sumOf(this.#judges, judging);
    }
    this.#unpricedRequests += trial.unpricedRequests;
    this.#usage = addUsage(this.#usage, trial.usage);
    this.#requests += trial.attempts;
    if (suite !== null) this.#suites.addSpent(trial, suite, this.#replayed - replayedBefore);
  }

  /** `settled`: what the limiters settled on. */
  summarize(settled: readonly SettledProvider[]): RunTotals {
    const judgeScore = this.#suites.judgeScore();
    return {
      costUsd: this.#unpricedRequests > 0 ? null : this.#spentUsd,
      unpricedRequests: this.#unpricedRequests,
      usage: this.#usage,
      latencyMs: quantilesOf(this.#suites.latencies()),
      timeToFirstTokenMs: quantilesOf(this.#firstTokens),
      requests: this.#requests,
      retries: this.#retries,
      fallbacks: this.#fallbacks,
      providers: [...this.#providers].map(([provider, counts]) => totalsOf(provider, counts, settled)),
      failures: this.#failures,
      toolErrors: this.#toolErrors,
      toolErrorsByTool: Object.fromEntries(this.#toolErrorsByTool),
      ...(judgeScore === null ? {} : { judgeScore }),
      ...(this.#simulatedUser === null ? {} : { simulatedUser: this.#simulatedUser }),
      ...(this.#judges === null ? {} : { judges: this.#judges }),
      ...(this.#awaitingBaseline === 0 ? {} : { awaitingBaseline: this.#awaitingBaseline }),
      ...(this.#nudges === 0 ? {} : { nudges: this.#nudges }),
      ...(this.#replayed === 0 ? {} : { replayed: this.#replayed }),
      ...(this.#toolFallbacks.size === 0 ? {} : { toolFallbacks: Object.fromEntries(this.#toolFallbacks) }),
    };
  }

  /** The same for each suite that has a trial, as far as a suite has it. */
  ofSuites(): ReadonlyMap<string, SuiteTotals> {
    return this.#suites.totals();
  }

  #addTurn(turn: TurnRecord): void {
    if (turn.fallback !== null) this.#fallbacks += 1;
    this.#addReplayed(turn);
    turn.attempts.forEach((attempt, index) => {
      this.#addAttempt(attempt);
      // Another model that is asked immediately is not a retry; neither is a wait after which nothing was sent.
      if (attempt.waitedMs !== null && index < turn.attempts.length - 1) this.#retries += 1;
    });
  }

  /** Calls of a simulated user or a judge. */
  #addHelp(calls: readonly TurnRecord[]): void {
    for (const call of calls) {
      for (const attempt of call.attempts) this.#addAttempt(attempt);
      this.#addReplayed(call);
    }
  }

  #addAttempt(attempt: AttemptRecord): void {
    const { provider, error } = attempt;
    let counts = this.#providers.get(provider);
    if (counts === undefined) this.#providers.set(provider, (counts = { requests: 0, errors: 0, byCode: new Map() }));
    const isSent = wasSent(attempt);
    if (isSent) counts.requests += 1;
    if (error === null) return;
    if (isSent) counts.errors += 1;
    counts.byCode.set(error.code, (counts.byCode.get(error.code) ?? 0) + 1);
    this.#failures[categoryOf(error)] += 1;
  }

  #addReplayed({ attempts, replayed }: TurnRecord): void {
    // The answer of a service has no attempts.
    if (replayed === true && attempts.length === 0) this.#replayed += 1;
    for (const attempt of attempts) if (attempt.replayed === true) this.#replayed += 1;
  }

  #addCall(call: TrialToolCall): void {
    const { tool, fallback } = call;
    const error = failureOf(call);
    if (fallback !== undefined) {
      this.#toolFallbacks.set(tool, (this.#toolFallbacks.get(tool) ?? 0) + 1);
      this.#failures.tool += 1;
    }
    if (error === undefined) return;
    const ofTool = this.#toolErrorsByTool.get(tool) ?? {};
    this.#toolErrorsByTool.set(tool, ofTool);
    for (const counts of [this.#toolErrors, ofTool]) counts[error.errorType] = (counts[error.errorType] ?? 0) + 1;
    this.#failures.tool += 1;
  }
}

function sumOf(sum: AuxiliaryTotals | null, one: AuxiliaryTotals): AuxiliaryTotals {
  const { requests, costUsd, unpricedRequests, usage } = one;
  if (sum === null) return { requests, costUsd, unpricedRequests, usage };
  return {
    requests: sum.requests + requests,
    costUsd: addCosts(sum.costUsd, costUsd),
    unpricedRequests: sum.unpricedRequests + unpricedRequests,
    usage: addUsage(sum.usage, usage),
  };
}

function noFailures(): Record<FailureCategory, number> {
  return { llm_api: 0, tool: 0, network: 0, validation: 0, service: 0 };
}

function totalsOf(
  provider: string,
  { requests, errors, byCode }: ProviderCounts,
  settled: readonly SettledProvider[],
): ProviderTotals {
  const found = settled.find((one) => one.provider === provider);
  return {
    provider,
    requests,
    errors,
    errorRate: requests === 0 ? 0 : errors / requests,
    errorsByCode: Object.fromEntries(byCode),
    limiter: found === undefined ? null : { limit: found.limit, rateLimits: found.rateLimits, lanes: found.lanes },
  };
}
