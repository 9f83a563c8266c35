import { described, nullable } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { count, usd } from "../shape/scalars.js";
import type { Static } from "../shape/shape.js";
import { addCosts } from "../values/add-costs.js";
import { wasSent } from "./attempt.js";
import type { TurnRecord } from "./turn.js";
import { addUsage, usageShape } from "./usage.js";

/** What the requests to models took that are not the one under test. */
export const auxiliaryTotalsShape = record({
  /** HTTP requests, retries included. */
  requests: count,
  /** US dollars; null when the price of a request is unknown. */
  costUsd: described("US dollars, part of the costUsd around it", nullable(usd)),
  unpricedRequests: count,
  usage: usageShape,
});
export type AuxiliaryTotals = Static<typeof auxiliaryTotalsShape>;

/** The sums over the requests of one simulated user, or of the judges of one trial. */
export function auxiliaryTotalsOf(calls: readonly TurnRecord[]): AuxiliaryTotals {
  const sums: AuxiliaryTotals = {
    requests: 0,
    costUsd: 0,
    unpricedRequests: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
  };
  for (const { attempts, usage, costUsd } of calls) {
    sums.requests += attempts.filter(wasSent).length;
    if (usage !== null) sums.usage = addUsage(sums.usage, usage);
    if (costUsd === null) sums.unpricedRequests += 1;
    sums.costUsd = addCosts(sums.costUsd, costUsd);
  }
  return sums;
}
