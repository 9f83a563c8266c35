import type { FailureCategory } from "../../errors/error-table.js";
import { categoryOf, type ErrorCode } from "../../errors/kindlm-error.js";
import { wasSent, type AttemptRecord } from "../../transcript/attempt.js";
import type { JudgingRecord } from "../../transcript/judging.js";
import type { SimulatedUserRecord } from "../../transcript/simulated-user.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { TurnRecord } from "../../transcript/turn.js";
import type { ToolErrorType } from "../../transcript/tool-failure.js";
import { addUsage, type Usage } from "../../transcript/usage.js";
import { createSuiteTallies } from "./create-suite-tallies.js";
import { knownCostOf } from "./known-cost.js";
import { quantilesOf } from "./quantiles-of.js";
import type { TrialResult } from "../run-result.js";
import type {
  JudgingTotals,
  ProviderTotals,
  RunTotals,
  SettledProvider,
  SimulatedUserTotals,
  SuiteTotals,
} from "../../summary/run-totals.js";

/** The sums over all trials of a run. */
export interface RunTally {
  add(trial: TrialResult, suite: string): void;
  /**
   * Counts what a trial took, and nothing of what came of it: it was run again since. `suite` is null where it is of
   * none that there is.
   */
  addSpent(trial: TrialResult, suite: string | null): void;
  /** `settled`: what the limiters settled on. */
  summarize(settled: readonly SettledProvider[]): RunTotals;
  /** The same for each suite that has a trial, as far as a suite has it. */
  ofSuites(): ReadonlyMap<string, SuiteTotals>;
}

interface ProviderCounts {
  requests: number;
  errors: number;
  byCode: Map<ErrorCode, number>;
}

export function createTally(): RunTally {
  const suites = createSuiteTallies();
  const firstTokens: number[] = [];
  const toolErrors: Partial<Record<ToolErrorType, number>> = {};
  const toolErrorsByTool = new Map<string, Partial<Record<ToolErrorType, number>>>();
  const failures = noFailures();
  const providers = new Map<string, ProviderCounts>();
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let spentUsd = 0;
  let unpricedRequests = 0;
  let requests = 0;
  let retries = 0;
  let fallbacks = 0;
  let simulatedUser: SimulatedUserTotals | null = null;
  let judges: JudgingTotals | null = null;
  let nudges = 0;
  let awaitingBaseline = 0;
  let replayed = 0;
  const toolFallbacks = new Map<string, number>();

  const addAttempt = (attempt: AttemptRecord): void => {
    const { provider, error } = attempt;
    let counts = providers.get(provider);
    if (counts === undefined) providers.set(provider, (counts = { requests: 0, errors: 0, byCode: new Map() }));
    const isSent = wasSent(attempt);
    if (isSent) counts.requests += 1;
    if (error === null) return;
    if (isSent) counts.errors += 1;
    counts.byCode.set(error.code, (counts.byCode.get(error.code) ?? 0) + 1);
    failures[categoryOf(error)] += 1;
  };

  const addReplayed = ({ attempts, replayed: isReplayed }: TurnRecord): void => {
    // The answer of a service has no attempts.
    if (isReplayed === true && attempts.length === 0) replayed += 1;
    for (const attempt of attempts) if (attempt.replayed === true) replayed += 1;
  };

  const addHelp = (calls: readonly TurnRecord[]): void => {
    for (const call of calls) {
      call.attempts.forEach(addAttempt);
      addReplayed(call);
    }
  };

  const addUser = (user: SimulatedUserRecord): void => {
    addHelp(user.calls);
    simulatedUser = { ...sumOf(simulatedUser, user), turns: (simulatedUser?.turns ?? 0) + user.turns };
  };

  const addJudging = (judging: JudgingRecord): void => {
    addHelp(judging.calls);
    judges = sumOf(judges, judging);
  };

  const addCall = ({ tool, error, fallback }: TrialToolCall): void => {
    if (fallback !== undefined) {
      toolFallbacks.set(tool, (toolFallbacks.get(tool) ?? 0) + 1);
      failures.tool += 1;
    }
    if (error === undefined) return;
    const ofTool = toolErrorsByTool.get(tool) ?? {};
    toolErrorsByTool.set(tool, ofTool);
    for (const counts of [toolErrors, ofTool]) counts[error.errorType] = (counts[error.errorType] ?? 0) + 1;
    failures.tool += 1;
  };

  const addSpent = (trial: TrialResult, suite: string | null): void => {
    const replayedBefore = replayed;
    // What is known of the cost counts even where a part of it is not.
    spentUsd += knownCostOf(trial);
    for (const turn of trial.turns) {
      if (turn.fallback !== null) fallbacks += 1;
      addReplayed(turn);
      turn.attempts.forEach((attempt, index) => {
        addAttempt(attempt);
        // Another model that is asked at once is no retry; neither is a wait after which nothing was sent.
        if (attempt.waitedMs !== null && index < turn.attempts.length - 1) retries += 1;
      });
    }
    if (trial.simulatedUser !== undefined) addUser(trial.simulatedUser);
    if (trial.judging !== undefined) addJudging(trial.judging);
    unpricedRequests += trial.unpricedRequests;
    usage = addUsage(usage, trial.usage);
    requests += trial.attempts;
    if (suite !== null) suites.addSpent(trial, suite, replayed - replayedBefore);
  };

  return {
    addSpent,
    add(trial, suite) {
      addSpent(trial, suite);
      suites.addResult(trial, suite);
      const firstToken = trial.turns[0]?.timeToFirstTokenMs ?? null;
      if (firstToken !== null) firstTokens.push(firstToken);
      nudges += trial.nudges?.length ?? 0;
      if (trial.assertions.some((assertion) => assertion.awaitsBaseline)) awaitingBaseline += 1;
      for (const call of trial.toolCalls) addCall(call);
      // An error that an attempt ended with is counted with the attempt.
      const { error } = trial;
      if (error !== null && error.origin?.attempt === undefined) failures[categoryOf(error)] += 1;
    },
    ofSuites: suites.totals,
    summarize(settled) {
      const judgeScore = suites.judgeScore();
      return {
        costUsd: unpricedRequests > 0 ? null : spentUsd,
        unpricedRequests,
        usage,
        latencyMs: quantilesOf(suites.latencies()),
        timeToFirstTokenMs: quantilesOf(firstTokens),
        requests,
        retries,
        fallbacks,
        providers: [...providers].map(([provider, counts]) => totalsOf(provider, counts, settled)),
        failures,
        toolErrors,
        toolErrorsByTool: Object.fromEntries(toolErrorsByTool),
        ...(judgeScore === null ? {} : { judgeScore }),
        ...(simulatedUser === null ? {} : { simulatedUser }),
        ...(judges === null ? {} : { judges }),
        ...(awaitingBaseline === 0 ? {} : { awaitingBaseline }),
        ...(nudges === 0 ? {} : { nudges }),
        ...(replayed === 0 ? {} : { replayed }),
        ...(toolFallbacks.size === 0 ? {} : { toolFallbacks: Object.fromEntries(toolFallbacks) }),
      };
    },
  };
}

function sumOf(sum: JudgingTotals | null, one: JudgingTotals): JudgingTotals {
  const { requests, costUsd, unpricedRequests, usage } = one;
  if (sum === null) return { requests, costUsd, unpricedRequests, usage };
  return {
    requests: sum.requests + requests,
    costUsd: sum.costUsd === null || costUsd === null ? null : sum.costUsd + costUsd,
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
