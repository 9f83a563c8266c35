import type { JudgeScore, SuiteTotals } from "../../summary/run-totals.js";
import { addUsage, type Usage } from "../../transcript/usage.js";
import type { ResultMeasures, SpentMeasures, ToolErrorCounts } from "./measure-trial.js";
import { quantilesOf } from "./quantiles-of.js";

interface SuiteSums {
  latencies: number[];
  toolErrors: ToolErrorCounts;
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
  addResult({ latencyMs, toolErrors, judgeScores }: ResultMeasures, suite: string): void {
    const sums = this.#sumsOf(suite);
    if (latencyMs !== null) sums.latencies.push(latencyMs);
    for (const { errorType } of toolErrors) sums.toolErrors[errorType] = (sums.toolErrors[errorType] ?? 0) + 1;
    for (const score of judgeScores) {
      sums.judged.sum += score;
      sums.judged.count += 1;
    }
  }

  /** What a trial took. */
  addSpent(spent: SpentMeasures, suite: string): void {
    const sums = this.#sumsOf(suite);
    sums.spentUsd += spent.knownCostUsd;
    sums.unpricedRequests += spent.unpricedRequests;
    sums.requests += spent.requests;
    sums.replayed += spent.replayed;
    sums.usage = addUsage(sums.usage, spent.usage);
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
