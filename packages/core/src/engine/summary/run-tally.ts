import type { FailureCategory } from "../../errors/error-table.js";
import { isErrorCode, type ErrorCode } from "../../errors/kindlm-error.js";
import type {
  ProviderTotals,
  RunTotals,
  SettledProvider,
  SimulatedUserTotals,
  SuiteTotals,
} from "../../summary/run-totals.js";
import type { AuxiliaryTotals } from "../../transcript/auxiliary-totals.js";
import { addUsage, type Usage } from "../../transcript/usage.js";
import { addCosts } from "../../values/add-costs.js";
import type { TrialResult } from "../run-result.js";
import {
  measureResult,
  measureSpent,
  type ProviderMeasures,
  type ResultMeasures,
  type SpentMeasures,
  type ToolErrorCounts,
  type TrialMeasures,
} from "./measure-trial.js";
import { quantilesOf } from "./quantiles-of.js";
import { SuiteTallies } from "./suite-tallies.js";

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
    this.addMeasuredSpent(measureSpent(trial), suite);
    this.#addResult(measureResult(trial), suite);
  }

  /** As `add`, of a trial of which only the measurements are there. */
  addMeasured(trial: TrialMeasures, suite: string): void {
    this.addMeasuredSpent(trial, suite);
    this.#addResult(trial, suite);
  }

  #addResult(trial: ResultMeasures, suite: string): void {
    this.#suites.addResult(trial, suite);
    if (trial.firstTokenMs !== null) this.#firstTokens.push(trial.firstTokenMs);
    this.#nudges += trial.nudges;
    if (trial.awaitsBaseline) this.#awaitingBaseline += 1;
    for (const tool of trial.toolFallbacks) {
      this.#toolFallbacks.set(tool, (this.#toolFallbacks.get(tool) ?? 0) + 1);
      this.#failures.tool += 1;
    }
    for (const { tool, errorType } of trial.toolErrors) {
      const ofTool = this.#toolErrorsByTool.get(tool) ?? {};
      this.#toolErrorsByTool.set(tool, ofTool);
      for (const counts of [this.#toolErrors, ofTool]) counts[errorType] = (counts[errorType] ?? 0) + 1;
      this.#failures.tool += 1;
    }
    if (trial.failure !== null) this.#failures[trial.failure] += 1;
  }

  /**
   * Counts what a trial took, but not its result: it was run again since. `suite` is null where it is of
   * none that there is.
   */
  addSpent(trial: TrialResult, suite: string | null): void {
    this.addMeasuredSpent(measureSpent(trial), suite);
  }

  addMeasuredSpent(spent: SpentMeasures, suite: string | null): void {
    // What is known of the cost counts even where a part of it is not.
    this.#spentUsd += spent.knownCostUsd;
    this.#retries += spent.retries;
    this.#fallbacks += spent.fallbacks;
    this.#replayed += spent.replayed;
    for (const provider of spent.providers) this.#addProvider(provider);
    addFailures(this.#failures, spent.attemptFailures);
    const { simulatedUser: user, judges } = spent;
    if (user !== null) {
      const turns = (this.#simulatedUser?.turns ?? 0) + user.turns;
      this.#simulatedUser = { ...sumOf(this.#simulatedUser, user), turns };
    }
    if (judges !== null) this.#judges = sumOf(this.#judges, judges);
    this.#unpricedRequests += spent.unpricedRequests;
    this.#usage = addUsage(this.#usage, spent.usage);
    this.#requests += spent.requests;
    if (suite !== null) this.#suites.addSpent(spent, suite);
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

  #addProvider({ provider, requests, errors, byCode }: ProviderMeasures): void {
    let counts = this.#providers.get(provider);
    if (counts === undefined) this.#providers.set(provider, (counts = { requests: 0, errors: 0, byCode: new Map() }));
    counts.requests += requests;
    counts.errors += errors;
    for (const [code, count] of Object.entries(byCode)) {
      if (isErrorCode(code)) counts.byCode.set(code, (counts.byCode.get(code) ?? 0) + count);
    }
  }
}

function addFailures(
  sums: Record<FailureCategory, number>,
  { llm_api = 0, tool = 0, network = 0, validation = 0, service = 0 }: Partial<Record<FailureCategory, number>>,
): void {
  sums.llm_api += llm_api;
  sums.tool += tool;
  sums.network += network;
  sums.validation += validation;
  sums.service += service;
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
