import { failureOf } from "../../transcript/failure-of.js";
import { everyCall } from "../../transcript/delegated-calls.js";
import type { AssertionResult } from "../../assertions/assertion-result.js";
import { quantilesOf } from "./quantiles-of.js";
import type { ToolErrorType } from "../../transcript/tool-failure.js";
import { addUsage, type Usage } from "../../transcript/usage.js";
import { knownCostOf } from "./known-cost.js";
import type { TrialResult } from "../run-result.js";
import type { JudgeScore, SuiteTotals } from "../../summary/run-totals.js";

interface SuiteSums {
  latencies: number[];
  toolErrors: Partial<Record<ToolErrorType, number>>;
  judged: { sum: number; count: number };
  spentUsd: number;
  unpricedRequests: number;
  requests: number;
  replayed: number;
  usage: Usage;
}

/** The sums over the trials of each suite, and what the run needs of them. */
export class SuiteTallies {
  readonly #suites = new Map<string, SuiteSums>();

  /** What of a trial counts for verdicts: its scores, tool errors and latency. */
  addResult(trial: TrialResult, suite: string): void {
    const sums = this.#sumsOf(suite);
    if (trial.turns.some((turn) => turn.finishReason !== null) || isTimed(trial)) sums.latencies.push(trial.latencyMs);
    for (const call of everyCall(trial.toolCalls)) {
      const error = failureOf(call);
      if (error !== undefined) sums.toolErrors[error.errorType] = (sums.toolErrors[error.errorType] ?? 0) + 1;
    }
    addScores(sums.judged, trial.assertions);
  }

  /** What a trial took, of which `replayed` requests took nothing. */
  addSpent(trial: TrialResult, suite: string, replayed: number): void {
    const sums = this.#sumsOf(suite);
    sums.spentUsd += knownCostOf(trial);
    sums.unpricedRequests += trial.unpricedRequests;
    sums.requests += trial.attempts;
    sums.replayed += replayed;
    sums.usage = addUsage(sums.usage, trial.usage);
  }

  /** Of all trials that got an answer. */
  latencies(): readonly number[] {
    const [first, ...others] = [...this.#suites.values()].map((sums) => sums.latencies);
    return others.length === 0 ? (first ?? []) : [...(first ?? []), ...others.flat()];
  }

  /** Of all suites together; null without scores. */
  judgeScore(): JudgeScore | null {
    const all = { sum: 0, count: 0 };
    for (const { judged } of this.#suites.values()) {
      all.sum += judged.sum;
      all.count += judged.count;
    }
    return scoreOf(all);
  }

  totals(): ReadonlyMap<string, SuiteTotals> {
    return new Map([...this.#suites].map(([suite, sums]) => [suite, totalsOf(sums)]));
  }

  #sumsOf(suite: string): SuiteSums {
    let sums = this.#suites.get(suite);
    if (sums === undefined) this.#suites.set(suite, (sums = emptySums()));
    return sums;
  }
}

/** A transcript may contain the latency of its answers, but has no turns. */
function isTimed({ recorded, latencyMs }: TrialResult): boolean {
  return recorded === true && latencyMs > 0;
}

/** Of a suite without a trial. */
export function emptySuiteTotals(): SuiteTotals {
  return totalsOf(emptySums());
}

function emptySums(): SuiteSums {
  return {
    latencies: [],
    toolErrors: {},
    judged: { sum: 0, count: 0 },
    spentUsd: 0,
    unpricedRequests: 0,
    requests: 0,
    replayed: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
  };
}

/** Groups may hold judges; an unanswered or skipped judge gives no score. */
function addScores(judged: SuiteSums["judged"], assertions: readonly AssertionResult[]): void {
  for (const { type, score, error, skipped, parts } of assertions) {
    if (parts !== undefined) addScores(judged, parts);
    if (type !== "judge" || error !== undefined || skipped === true) continue;
    judged.sum += score;
    judged.count += 1;
  }
}

function scoreOf({ sum, count }: SuiteSums["judged"]): JudgeScore | null {
  return count === 0 ? null : { mean: sum / count, count };
}

function totalsOf(sums: SuiteSums): SuiteTotals {
  const judgeScore = scoreOf(sums.judged);
  return {
    costUsd: sums.unpricedRequests > 0 ? null : sums.spentUsd,
    unpricedRequests: sums.unpricedRequests,
    usage: sums.usage,
    latencyMs: quantilesOf(sums.latencies),
    requests: sums.requests,
    toolErrors: sums.toolErrors,
    ...(sums.replayed === 0 ? {} : { replayed: sums.replayed }),
    ...(judgeScore === null ? {} : { judgeScore }),
  };
}
