import { wasSent } from "./attempt.js";
import type { TurnRecord } from "./turn.js";
import { addUsage, type Usage } from "./usage.js";

/** A question to a model that an assertion asked, and its reply. */
export interface JudgingCall extends TurnRecord {
  role: "judge" | "embedder";
  /** Id of the model that was to answer. */
  model: string;
}

/** What asking models about a trial took. It is counted apart from the agent. */
export interface JudgingRecord {
  /** HTTP requests, retries included. */
  requests: number;
  /** US dollars; null when the price of a request is unknown. */
  costUsd: number | null;
  unpricedRequests: number;
  usage: Usage;
  /** In their order, those of earlier evaluations of the same trial first. */
  calls: readonly JudgingCall[];
}

export function toJudgingRecord(calls: readonly JudgingCall[]): JudgingRecord {
  const record: JudgingRecord = {
    requests: 0,
    costUsd: 0,
    unpricedRequests: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    calls,
  };
  for (const { attempts, usage, costUsd } of calls) {
    record.requests += attempts.filter(wasSent).length;
    if (usage !== null) record.usage = addUsage(record.usage, usage);
    if (costUsd === null) record.unpricedRequests += 1;
    record.costUsd = record.costUsd === null || costUsd === null ? null : record.costUsd + costUsd;
  }
  return record;
}
