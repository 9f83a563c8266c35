import { failureCategories } from "../../errors/error-table.js";
import type { JsonObject } from "../../values/json.js";
import { comparisonSchema } from "./comparison-schema.js";
import {
  caseSummaryShapes,
  countsByToolError,
  flakySchema,
  gatesSchema,
  modelsSchema,
  quarantineSchema,
  suiteSummarySchema,
} from "./rates-schema.js";
import { reportSchemaVersion } from "./report-schema-version.js";
import {
  amount,
  code,
  count,
  flag,
  interval,
  list,
  nullable,
  position,
  rate,
  record,
  text,
  usage,
} from "./schema-shapes.js";
import {
  assertionSchema,
  fallbackSchema,
  judgingTotals,
  originSchema,
  simulatedUserTotals,
  trialSchema,
} from "./trial-schema.js";

/** The shape of the JSON report: its contract. Keys may be added within a schema version, never changed or removed. */
export function runResultJsonSchema(): JsonObject {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: "https://kindlm.com/schemas/run-result.schema.json",
    title: "KindLM run result",
    ...record(
      {
        schemaVersion: { const: reportSchemaVersion },
        kindlm: { description: "Version of KindLM", ...text },
        verdict: { enum: ["passed", "failed"] },
        exitCode: { enum: [0, 1] },
        reasons: { description: "Why the verdict is failed", ...list(text) },
        run: run(),
        summary: summary(),
        gates: gatesSchema(),
        flaky: flakySchema(),
        quarantine: quarantineSchema(),
        warnings: list(record({ code: code(), message: text, hint: nullable(text), position: position() })),
        suites: list(
          record({
            name: text,
            file: text,
            status: { enum: ["run", "skipped"] },
            error: nullable({ $ref: "#/definitions/error" }),
            summary: suiteSummarySchema(),
            tests: list({ anyOf: [{ $ref: "#/definitions/ranTest" }, { $ref: "#/definitions/skippedTest" }] }),
          }),
        ),
      },
      { comparison: comparisonSchema(), models: modelsSchema() },
    ),
    definitions: {
      error: record(
        { code: code(), number: { type: "integer" }, category: { enum: [...failureCategories] }, message: text },
        { details: { type: "object" }, origin: originSchema() },
      ),
      ranTest: ranTest(),
      skippedTest: record({
        ...identity,
        status: { const: "skipped" },
        reason: text,
        error: { type: "null" },
        trials: { type: "array", maxItems: 0 },
      }),
      trial: trialSchema(),
      assertion: assertionSchema(),
    },
  };
}

function run(): JsonObject {
  return record(
    {
      id: text,
      startedAt: { type: "string", format: "date-time" },
      endedAt: { type: "string", format: "date-time" },
      durationMs: amount,
      seed: { type: "integer" },
      interrupted: flag,
      project: nullable(text),
      git: nullable(record({ commit: text, branch: nullable(text), dirty: flag })),
    },
    {
      shard: { description: "Which part of a run this is", ...record({ index: count, of: count }) },
      replayed: { description: "Recordings alone answered; latencies are those of the recordings", const: true },
      scored: {
        description: "No model under test was asked: the conversations are those of transcripts, or of another run",
        anyOf: [
          record({ from: { const: "transcripts" }, files: list(text) }),
          record({ from: { const: "run" }, run: text }),
        ],
      },
      resumed: { description: "How often the run went on after it had been ended", ...count },
    },
  );
}

function summary(): JsonObject {
  const cases = caseSummaryShapes();
  const counts: JsonObject = {
    ...cases.always,
    costUsd: { description: "US dollars; null when a price is unknown", ...nullable(amount) },
    unpricedRequests: count,
    usage: usage(),
    latencyMs: nullable(record({ p50: amount, p95: amount })),
    timeToFirstTokenMs: nullable(record({ p50: amount, p95: amount })),
    requests: count,
    retries: count,
    fallbacks: { description: "Turns that a model answered in place of the one under test", ...count },
    providers: list(
      record({
        provider: text,
        requests: count,
        errors: count,
        errorRate: rate,
        errorsByCode: { type: "object", propertyNames: code(), additionalProperties: count },
        limiter: nullable(
          record({
            limit: { description: "Calls at a time that the limiter settled on", ...count },
            rateLimits: count,
            lanes: list(record({ lane: text, ratePerSecond: nullable(amount), rateLimits: count })),
          }),
        ),
      }),
    ),
    failures: {
      description: "Everything that failed, also where it was made good",
      ...record(Object.fromEntries(failureCategories.map((category) => [category, count]))),
    },
    toolErrors: countsByToolError(),
    toolErrorsByTool: { type: "object", additionalProperties: countsByToolError() },
  };
  return record(counts, {
    simulatedUser: {
      description: "Simulated users, counted apart from the agents; absent when there were none",
      ...record(simulatedUserTotals()),
    },
    judges: {
      description: "Judges, counted apart from the agents; absent when none was asked",
      ...record(judgingTotals()),
    },
    ...cases.sometimes,
    replayed: { description: "Requests that recordings answered; absent when there were none", ...count },
    awaitingBaseline: { description: "Trials with an assertion that the baseline has no answer for yet", ...count },
    nudges: { description: "Messages that told an agent to go on after a tool error", ...count },
    toolFallbacks: {
      description: "Calls that a fallback answered, tool by tool",
      type: "object",
      additionalProperties: count,
    },
  });
}

const identity: JsonObject = {
  id: { description: "suite/test[row]@model#prompt+fault", ...text },
  name: text,
  model: text,
  row: nullable(text),
  prompt: nullable(text),
  fault: { description: "The fault that has this case for itself; null in any other case", ...nullable(text) },
  tags: list(text),
  critical: flag,
  allowFailure: nullable(text),
  position: position(),
};

function ranTest(): JsonObject {
  return record(
    {
      ...identity,
      status: { enum: ["passed", "failed", "errored"] },
      mixed: flag,
      passes: count,
      required: count,
      runs: count,
      counted: count,
      interval,
      error: nullable({ $ref: "#/definitions/error" }),
      latencyMs: { description: "Mean time spent waiting for the provider", ...amount },
      costUsd: nullable(amount),
      decisiveTrial: count,
      fallback: fallbackSchema(),
      assertions: { description: "Of the decisive trial", ...list({ $ref: "#/definitions/assertion" }) },
      trials: list({ $ref: "#/definitions/trial" }),
    },
    {
      endedEarly: {
        description: "Set where early_end might leave out trials, which biases the rate; true when it did",
        ...flag,
      },
      trialsRun: { description: "Trials that ran; set where endedEarly is", ...count },
      firstTryPasses: { description: "Trials that passed without a rejected answer, with retry_until", ...count },
      fresh: {
        description: "The results of the confirmation trials of --confirm; they are numbered on from runs",
        ...record({ passes: count, trials: count }),
      },
      nudges: { description: "Nudges after tool errors, over all trials", ...record({ count, trials: count }) },
      toolFallbacks: { description: "Tool calls that a fallback answered, over all trials", ...count },
    },
  );
}
