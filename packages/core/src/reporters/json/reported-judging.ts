import type { JudgeFinding } from "../../assertions/judging/judge-votes.js";
import type { JudgingTotals } from "../../summary/run-totals.js";
import type { JsonObject } from "../../values/json.js";
import { reportedUsage } from "./reported-usage.js";
import { roundedRate, roundedUsd } from "./rounded.js";

/** What judges took. */
export function reportedJudging(totals: JudgingTotals): JsonObject {
  return {
    requests: totals.requests,
    costUsd: roundedUsd(totals.costUsd),
    unpricedRequests: totals.unpricedRequests,
    usage: reportedUsage(totals.usage),
  };
}

/** What a judge said. */
export function reportedFinding(
  { threshold, votes, spread }: JudgeFinding,
  mask: (text: string) => string,
): JsonObject {
  return {
    threshold,
    spread: roundedRate(spread),
    votes: votes.map(({ score, pass, reasoning, items, model }) => ({
      score: roundedRate(score),
      pass,
      reasoning: mask(reasoning),
      ...(items === undefined
        ? {}
        : { items: items.map((one) => ({ item: mask(one.item), score: roundedRate(one.score) })) }),
      model: mask(model),
    })),
  };
}
