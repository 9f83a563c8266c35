import { described, nullable } from "../shape/compound.js";
import { record } from "../shape/record.js";
import { count, usd } from "../shape/scalars.js";
import { usageShape } from "./usage.js";

/** What asking models took that are not the one under test. */
export const askedTotalsShape = record({
  /** HTTP requests, retries included. */
  requests: count,
  /** US dollars; null when the price of a request is unknown. */
  costUsd: described("US dollars, part of the costUsd around it", nullable(usd)),
  unpricedRequests: count,
  usage: usageShape,
});
