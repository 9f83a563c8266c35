import { percentile } from "../statistics/percentile.js";
import type { ToolErrorType } from "../transcript/tool-failure.js";
import { addUsage, type Usage } from "../transcript/usage.js";
import type { RunTotals, TrialResult } from "./run-result.js";

/** The sums over all trials of a run. */
export interface RunTally {
  readonly spentUsd: number;
  add(trial: TrialResult): void;
  summarize(): RunTotals;
}

export function createTally(): RunTally {
  const latencies: number[] = [];
  const toolErrors: Partial<Record<ToolErrorType, number>> = {};
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let spentUsd = 0;
  let unpricedRequests = 0;
  let requests = 0;
  let turns = 0;
  return {
    get spentUsd() {
      return spentUsd;
    },
    add(trial) {
      // What is known of the cost counts against a limit even where a part of it is not.
      for (const turn of trial.turns) spentUsd += turn.costUsd ?? 0;
      for (const assertion of trial.assertions) spentUsd += assertion.costUsd ?? 0;
      unpricedRequests += trial.unpricedRequests;
      usage = addUsage(usage, trial.usage);
      requests += trial.attempts;
      turns += trial.turns.length;
      if (trial.turns.some((turn) => turn.finishReason !== null)) latencies.push(trial.latencyMs);
      for (const { error } of trial.toolCalls) {
        if (error !== undefined) toolErrors[error.errorType] = (toolErrors[error.errorType] ?? 0) + 1;
      }
    },
    summarize() {
      const sorted = latencies.toSorted((a, b) => a - b);
      const p50 = percentile(sorted, 0.5);
      const p95 = percentile(sorted, 0.95);
      return {
        costUsd: unpricedRequests > 0 ? null : spentUsd,
        unpricedRequests,
        usage,
        latencyMs: p50 === null || p95 === null ? null : { p50, p95 },
        requests,
        retries: requests - turns,
        toolErrors,
      };
    },
  };
}
