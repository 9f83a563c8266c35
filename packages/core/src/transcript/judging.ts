import { list } from "../shape/compound.js";
import { internal } from "../shape/field.js";
import { record } from "../shape/record.js";
import { oneOf, text } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import { askedTotalsShape } from "./asked-totals.js";
import { wasSent } from "./attempt.js";
import { turnShape } from "./turn.js";
import { addUsage } from "./usage.js";

/** A question to a model that an assertion asked, and its reply. */
export const judgingCallShape = record(
  {
    ...turnShape.always,
    role: oneOf(["judge", "embedder"]),
    /** Id of the model that was to answer. */
    model: text,
  },
  turnShape.sometimes,
);
export type JudgingCall = Static<typeof judgingCallShape>;

/** What asking models about a trial took. It is counted apart from the agent. */
export const judgingShape = record({
  ...askedTotalsShape.always,
  /** In their order, those of earlier evaluations of the same trial first. */
  calls: internal(list(judgingCallShape)),
});
export type JudgingRecord = Static<typeof judgingShape>;

export function toJudgingRecord(calls: readonly JudgingCall[]): JudgingRecord {
  const judging: JudgingRecord = {
    requests: 0,
    costUsd: 0,
    unpricedRequests: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    calls,
  };
  for (const { attempts, usage, costUsd } of calls) {
    judging.requests += attempts.filter(wasSent).length;
    if (usage !== null) judging.usage = addUsage(judging.usage, usage);
    if (costUsd === null) judging.unpricedRequests += 1;
    judging.costUsd = judging.costUsd === null || costUsd === null ? null : judging.costUsd + costUsd;
  }
  return judging;
}
