import { toolErrorTypes } from "../../transcript/tool-failure.js";
import type { JsonObject } from "../../values/json.js";
import { amount, count, flag, interval, list, nullable, rate, record, text, usage } from "./schema-shapes.js";

const anyInterval: JsonObject = { ...interval, description: "95% interval" };

const signedInterval: JsonObject = {
  description: "95% interval, never of zero width",
  type: "array",
  items: { type: "number", minimum: -1, maximum: 1 },
  minItems: 2,
  maxItems: 2,
};

function meanRate(): JsonObject {
  return {
    description: "Mean of the pass rates of the cases; null when none counts",
    ...nullable(
      record({
        mean: rate,
        standardError: { description: "Clustered; null with one cluster", ...nullable(amount) },
        interval: anyInterval,
        cases: count,
        clusters: count,
      }),
    ),
  };
}

/** What summaries of runs and suites have of their cases: the keys that are always there, and the others. */
export function caseSummaryShapes(): { always: JsonObject; sometimes: JsonObject } {
  return {
    always: {
      total: count,
      passed: count,
      failed: count,
      errored: count,
      skipped: count,
      allowedFailures: { description: "Failed ones that allow_failure keeps from counting", ...count },
      passRate: nullable(rate),
      interval,
      meanRate: meanRate(),
      errorRate: { description: "Share of the cases that ran and were errored from outside", ...nullable(rate) },
    },
    sometimes: {
      firstTryRate: {
        description: "Share of the cases with retry_until that pass without a rejected answer; null when none counts",
        ...nullable(rate),
      },
      firstTryInterval: interval,
      passK: {
        description: "pass@k and pass^k, unbiased, the means over the cases with k trials; absent where each has one",
        ...list(record({ k: count, passAtK: rate, passHatK: rate, cases: count })),
      },
      earlyEnd: {
        description: "Cases with early_end, which take no part in meanRate and passK",
        ...record({ cases: count, endedEarly: count }),
      },
      judgeScore: { description: "Scores of judge assertions, over all trials", ...record({ mean: rate, count }) },
    },
  };
}

export function suiteSummarySchema(): JsonObject {
  const { always, sometimes } = caseSummaryShapes();
  return nullable(
    record(
      {
        ...always,
        costUsd: { description: "US dollars; null when a price is unknown", ...nullable(amount) },
        unpricedRequests: count,
        usage: usage(),
        latencyMs: nullable(record({ p50: amount, p95: amount })),
        requests: count,
        toolErrors: countsByToolError(),
      },
      { ...sometimes, replayed: { description: "Requests that recordings answered", ...count } },
    ),
  );
}

export function gatesSchema(): JsonObject {
  const parts = {
    name: text,
    scope: { enum: ["run", "suite"] },
    pass: flag,
    limit: { type: "number" },
    actual: nullable({ type: "number" }),
    message: text,
  };
  return list(
    record(parts, {
      suite: { description: "The suite that it is about, where the scope is suite", ...text },
      evaluated: { description: "False where there is nothing to say about it; such a gate passes", const: false },
    }),
  );
}

export function flakySchema(): JsonObject {
  const shape = { id: text, status: { enum: ["passed", "failed", "errored"] }, passes: count, counted: count };
  return {
    description: "Cases some of whose trials passed and some did not",
    ...list(record({ ...shape, required: count, runs: count })),
  };
}

export function quarantineSchema(): JsonObject {
  const passesAgain = { description: "Every case passed in every trial: allow_failure can go", ...flag };
  const counts = { cases: count, failed: count, errored: count };
  return {
    description: "Tests with allow_failure that ran",
    ...list(record({ suite: text, test: text, reason: text, ...counts, passesAgain })),
  };
}

/** Absent where there is one model and one prompt. */
export function modelsSchema(): JsonObject {
  const cell = {
    cases: count,
    passed: count,
    errored: count,
    rate: { description: "Mean of the rates of the cases; null when none counts", ...nullable(rate) },
    costUsd: nullable(amount),
    latencyMs: { description: "Mean over the cases", ...amount },
  };
  return {
    description: "Models and prompts side by side; absent if there is only one",
    ...record({
      variants: list(record({ name: text, model: text, prompt: nullable(text), ...cell, meanRate: meanRate() })),
      tests: list(record({ suite: text, test: text, cells: list(nullable(record(cell))) })),
      differences: list(
        record({
          from: text,
          to: text,
          cases: count,
          clusters: count,
          mean: { description: "Rate of `to` − rate of `from`", type: "number" },
          interval: signedInterval,
          p: { description: "Two-sided, of the sign-flip test over clusters", ...rate },
        }),
      ),
    }),
  };
}

export function countsByToolError(): JsonObject {
  return record({}, Object.fromEntries(toolErrorTypes.map((type) => [type, count])));
}
