import { errorCodeShape } from "../errors/error-shape.js";
import type { FailureCategory } from "../errors/error-table.js";
import type { ErrorCode } from "../errors/kindlm-error.js";
import { described, list, mapOf, nullable } from "../shape/compound.js";
import { volatile, volatileAnywhere } from "../shape/field.js";
import { record } from "../shape/record.js";
import { count, ms, pace, rate, text, usd } from "../shape/scalars.js";
import type { Shape, Static } from "../shape/shape.js";
import { auxiliaryTotalsShape } from "../transcript/auxiliary-totals.js";
import { simulatedUserTotalsShape } from "../transcript/simulated-user.js";
import { toolErrorsShape } from "../transcript/tool-failure.js";
import { usageShape } from "../transcript/usage.js";

const laneShape = record({ lane: text, ratePerSecond: nullable(pace), rateLimits: count });

const limiterShape = record({
  /** Calls at a time. */
  limit: described("Calls at a time that the limiter settled on", count),
  /** How often the provider said that it was too much (429). */
  rateLimits: count,
  /** The models that were rate limited; the rate is null where no pace was learned. */
  lanes: list(laneShape),
});

/** What the limiter of a provider settled on. */
export interface SettledProvider extends Static<typeof limiterShape> {
  /** Name of the provider in the config. */
  provider: string;
}

const errorsByCodeShape: Shape<Partial<Record<ErrorCode, number>>> = mapOf(count, {
  isSorted: true,
  schema: { type: "object", propertyNames: errorCodeShape.schema(), additionalProperties: count.schema() },
});

/** How calls to one provider went. */
const providerTotalsShape = record({
  /** Name of the provider in the config. */
  provider: text,
  requests: count,
  /** Requests that failed. */
  errors: count,
  /** errors ÷ requests. */
  errorRate: rate,
  errorsByCode: errorsByCodeShape,
  /** What the limiter settled on depends on how fast answers come. Null when no limiter was asked. */
  limiter: volatile(nullable(limiterShape)),
});
export type ProviderTotals = Static<typeof providerTotalsShape>;

const providersShape = list(providerTotalsShape);

/** A distribution over trials, milliseconds. */
const quantilesShape = record({ p50: ms, p95: ms });
export type Quantiles = Static<typeof quantilesShape>;

/** What `judge` assertions made of all that they were asked about. */
const judgeScoreShape = record({
  /** From 0 to 1. */
  mean: rate,
  /** Assertions that gave a score. */
  count,
});
export type JudgeScore = Static<typeof judgeScoreShape>;

const failuresShape: Shape<Readonly<Record<FailureCategory, number>>> = record({
  llm_api: count,
  tool: count,
  network: count,
  validation: count,
  service: count,
});

/** What the simulated users of a run took. Their requests are part of `providers`, their cost is part of `costUsd`. */
export type { SimulatedUserTotals } from "../transcript/simulated-user.js";

const sharedTotals = {
  /** Null when the price of a request is unknown. */
  costUsd: described("US dollars; null when a price is unknown", nullable(usd)),
  unpricedRequests: count,
  usage: usageShape,
  /** Over trials that got an answer, milliseconds; null when there were none. */
  latencyMs: volatileAnywhere(nullable(quantilesShape)),
};

/** The fields of the sums over the trials of one suite. */
export const suiteTotals = {
  always: {
    ...sharedTotals,
    requests: count,
    /** Calls of tools that ended in an error, by type. */
    toolErrors: toolErrorsShape,
  },
  sometimes: {
    /** Scores of `judge` assertions, over all trials; absent when none gave one. */
    judgeScore: described("Scores of judge assertions, over all trials", judgeScoreShape),
    /** Requests of agents and simulated users that recordings answered; absent when there were none. */
    replayed: volatile(described("Requests that recordings answered", count)),
  },
};

const suiteTotalsShape = record(suiteTotals.always, suiteTotals.sometimes);
export type SuiteTotals = Static<typeof suiteTotalsShape>;

/** The fields of the sums over all trials of a run. */
export const runTotals = {
  always: {
    ...sharedTotals,
    /** Of the first turn of trials whose answer was streamed; null when none was. */
    timeToFirstTokenMs: volatileAnywhere(nullable(quantilesShape)),
    /** Of the agents under test; those of simulated users stand apart. */
    requests: count,
    retries: count,
    /** Turns that a model answered in place of the one under test. */
    fallbacks: described("Turns that a model answered in place of the one under test", count),
    /** In the order of their first request. */
    providers: {
      ...providersShape,
      report: (providers: readonly ProviderTotals[], view) =>
        providersShape.report(
          providers.toSorted((a, b) => (a.provider < b.provider ? -1 : a.provider > b.provider ? 1 : 0)),
          view,
        ),
    } satisfies Shape<readonly ProviderTotals[]>,
    /** Everything that failed, also where it was made good: attempts, tool calls, trials. */
    failures: described("Everything that failed, also where it was made good", failuresShape),
    /** Calls of tools that ended in an error, by type. */
    toolErrors: toolErrorsShape,
    /** The same, tool by tool. */
    toolErrorsByTool: mapOf(toolErrorsShape, { isText: true, isSorted: true }),
  },
  sometimes: {
    /** Simulated users, counted apart from the agents; absent when there were none. */
    simulatedUser: described(
      "Simulated users, counted apart from the agents; absent when there were none",
      simulatedUserTotalsShape,
    ),
    /** Judges and other models that assertions ask, counted apart from the agents; absent when none was asked. */
    judges: described("Judges, counted apart from the agents; absent when none was asked", auxiliaryTotalsShape),
    judgeScore: suiteTotals.sometimes.judgeScore,
    /** Requests of agents and simulated users that recordings answered; absent when there were none. */
    replayed: volatile(described("Requests that recordings answered; absent when there were none", count)),
    /** Trials with an assertion that the baseline has no answer for yet; absent when there was none. */
    awaitingBaseline: described("Trials with an assertion that the baseline has no answer for yet", count),
    /** Messages that asked an agent to continue after a tool error; absent when there was none. */
    nudges: described("Messages that asked an agent to continue after a tool error", count),
    /** Calls that a fallback answered in place of a tool, tool by tool; absent when there was none. */
    toolFallbacks: described(
      "Calls that a fallback answered, tool by tool",
      mapOf(count, { isText: true, isSorted: true }),
    ),
  },
};

const runTotalsShape = record(runTotals.always, runTotals.sometimes);
export type RunTotals = Static<typeof runTotalsShape>;
