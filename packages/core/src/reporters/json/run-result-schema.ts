import { errorTable, failureCategories } from "../../errors/error-table.js";
import { toolErrorTypes } from "../../transcript/tool-failure.js";
import type { JsonObject, JsonValue } from "../../values/json.js";
import { reportSchemaVersion } from "./json-reporter.js";

const text: JsonObject = { type: "string" };
const flag: JsonObject = { type: "boolean" };
const count: JsonObject = { type: "integer", minimum: 0 };
const amount: JsonObject = { type: "number", minimum: 0 };
const rate: JsonObject = { type: "number", minimum: 0, maximum: 1 };
const anything: JsonObject = {};
const interval: JsonObject = {
  description: "Wilson 95 % interval",
  type: ["array", "null"],
  items: rate,
  minItems: 2,
  maxItems: 2,
};

/** The shape of the JSON report: its contract. Keys may be added within a schema version, never changed or removed. */
export function runResultJsonSchema(): JsonObject {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: "https://kindlm.com/schemas/run-result.schema.json",
    title: "KindLM run result",
    ...record({
      schemaVersion: { const: reportSchemaVersion },
      kindlm: { description: "Version of KindLM", ...text },
      verdict: { enum: ["passed", "failed"] },
      exitCode: { enum: [0, 1] },
      reasons: { description: "Why the verdict is failed", ...list(text) },
      run: run(),
      summary: summary(),
      gates: list(
        record({
          name: text,
          scope: { enum: ["run"] },
          pass: flag,
          limit: { type: "number" },
          actual: nullable({ type: "number" }),
          message: text,
        }),
      ),
      warnings: list(record({ code: code(), message: text, hint: nullable(text), position: position() })),
      suites: list(
        record({
          name: text,
          file: text,
          status: { enum: ["run", "skipped"] },
          error: nullable({ $ref: "#/definitions/error" }),
          tests: list({ anyOf: [{ $ref: "#/definitions/ranTest" }, { $ref: "#/definitions/skippedTest" }] }),
        }),
      ),
    }),
    definitions: {
      error: record(
        { code: code(), number: { type: "integer" }, category: { enum: [...failureCategories] }, message: text },
        { details: { type: "object" }, origin: origin() },
      ),
      ranTest: ranTest(),
      skippedTest: record({
        ...identity,
        status: { const: "skipped" },
        reason: text,
        error: { type: "null" },
        trials: { type: "array", maxItems: 0 },
      }),
      trial: trial(),
      assertion: assertion(),
    },
  };
}

function run(): JsonObject {
  return record({
    id: text,
    startedAt: { type: "string", format: "date-time" },
    endedAt: { type: "string", format: "date-time" },
    durationMs: amount,
    seed: { type: "integer" },
    interrupted: flag,
    project: nullable(text),
    git: nullable(record({ commit: text, branch: nullable(text), dirty: flag })),
  });
}

function summary(): JsonObject {
  return record({
    total: count,
    passed: count,
    failed: count,
    errored: count,
    skipped: count,
    allowedFailures: { description: "Failed ones that allow_failure keeps from counting", ...count },
    passRate: nullable(rate),
    interval,
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
    toolErrors: record({}, Object.fromEntries(toolErrorTypes.map((type) => [type, count]))),
  });
}

const identity: JsonObject = {
  id: { description: "suite/test[row]@model#prompt", ...text },
  name: text,
  model: text,
  row: nullable(text),
  prompt: nullable(text),
  tags: list(text),
  critical: flag,
  allowFailure: nullable(text),
  position: position(),
};

function ranTest(): JsonObject {
  return record({
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
    fallback: fallback(),
    assertions: { description: "Of the decisive trial", ...list({ $ref: "#/definitions/assertion" }) },
    trials: list({ $ref: "#/definitions/trial" }),
  });
}

function trial(): JsonObject {
  return record({
    trial: { type: "integer", minimum: 1 },
    status: { enum: ["passed", "failed", "errored"] },
    error: nullable({ $ref: "#/definitions/error" }),
    output: text,
    latencyMs: amount,
    durationMs: amount,
    costUsd: nullable(amount),
    usage: usage(),
    attempts: count,
    servedBy: { description: "The model that answered last, as its provider names it", ...nullable(text) },
    fallback: fallback(),
    finishReason: nullable(text),
    turns: list(turn()),
    toolCalls: list(
      record({
        tool: text,
        args: anything,
        result: anything,
        error: nullable(
          record(
            { errorType: { enum: [...toolErrorTypes] }, message: text, retryable: flag },
            { recommendations: list(text) },
          ),
        ),
        durationMs: nullable(amount),
      }),
    ),
    assertions: list({ $ref: "#/definitions/assertion" }),
  });
}

function turn(): JsonObject {
  return record({
    turn: { type: "integer", minimum: 1 },
    latencyMs: amount,
    timeToFirstTokenMs: { description: "Null when the answer was not streamed", ...nullable(amount) },
    costUsd: nullable(amount),
    servedBy: nullable(text),
    fallback: fallback(),
    attempts: count,
    failedAttempts: list(
      record({
        attempt: { type: "integer", minimum: 1 },
        provider: text,
        code: code(),
        message: text,
        requestId: nullable(text),
        waitedMs: nullable(amount),
      }),
    ),
  });
}

function origin(): JsonObject {
  const names = { runId: text, suite: text, test: text, caseId: text, requestId: text };
  return record({}, { ...names, trial: count, turn: count, attempt: count });
}

function fallback(): JsonObject {
  return { description: "Model that answered in place of the one under test; null when none did", ...nullable(text) };
}

function assertion(): JsonObject {
  return record(
    { type: text, pass: flag, score: rate, message: text, durationMs: amount },
    {
      id: text,
      weight: amount,
      userTurn: count,
      skipped: flag,
      error: { $ref: "#/definitions/error" },
      costUsd: nullable(amount),
      expected: anything,
      actual: anything,
      parts: list({ $ref: "#/definitions/assertion" }),
    },
  );
}

function usage(): JsonObject {
  return record({ inputTokens: count, outputTokens: count }, { cachedInputTokens: count, reasoningTokens: count });
}

function position(): JsonObject {
  return nullable(record({ file: text, line: count, column: count, length: count }));
}

function code(): JsonObject {
  return { enum: Object.keys(errorTable) };
}

/** An object that has all of `properties` and may have the `optional` ones. */
function record(properties: JsonObject, optional: JsonObject = {}): JsonObject {
  return { type: "object", required: Object.keys(properties), properties: { ...properties, ...optional } };
}

function list(items: JsonValue): JsonObject {
  return { type: "array", items };
}

function nullable(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: "null" }] };
}
