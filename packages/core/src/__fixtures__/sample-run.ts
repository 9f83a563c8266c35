import type { AssertionResult } from "../assertions/assertion-result.js";
import type { RunResult, SuiteResult, TestResult, TrialResult } from "../engine/run-result.js";
import type { KindlmError } from "../errors/kindlm-error.js";
import { summarizeSuites } from "../engine/summary/summarize.js";
import { kindlmError } from "../errors/kindlm-error.js";

type Ran = Exclude<TestResult, { status: "skipped" }>;
/** What a sample case lets its only trial have. */
type Shown = Partial<Pick<TrialResult, "assertions" | "messages" | "output" | "simulatedUser" | "toolCalls" | "tries">>;
type Skipped = Extract<TestResult, { status: "skipped" }>;

export function sampleAssertion(changes: Partial<AssertionResult> = {}): AssertionResult {
  return { type: "contains", pass: true, score: 1, message: 'Found "hello"', weight: 1, durationMs: 0.1, ...changes };
}

const ran = {
  suite: "Suite A",
  model: "gpt",
  row: null,
  prompt: null,
  fault: null,
  tags: [],
  critical: false,
  allowFailure: null,
  position: null,
  mixed: false,
  runs: 1,
  required: 1,
  counted: 1,
  interval: [0.2065, 1] as const,
  latencyMs: 812,
  costUsd: 0.001,
  decisiveTrial: 1,
  fallback: null,
  agentHash: "0123456789abcdef",
  checkHash: "fedcba9876543210",
};

/** What the trials of the sample cases show where it differs from a plain trial of that status. */
const shownBy = new WeakMap<TestResult, Shown>();

function withTrial<T extends TestResult>(test: T, shown: Shown): T {
  shownBy.set(test, shown);
  return test;
}

export function passedCase(name: string, changes: Partial<Ran> = {}, shown: Shown = {}): TestResult {
  const parts = { ...ran, id: `Suite A/${name}@gpt`, name, passes: 1, ...changes };
  return withTrial({ ...parts, status: "passed", error: null }, shown);
}

export function failedCase(name: string, changes: Partial<Ran> = {}, shown: Shown = {}): TestResult {
  const parts = { ...ran, id: `Suite A/${name}@gpt`, name, passes: 0, ...changes };
  return withTrial({ ...parts, status: "failed", error: null }, shown);
}

export function erroredCase(name: string, error: KindlmError, changes: Partial<Ran> = {}): TestResult {
  const parts = { ...ran, id: `Suite A/${name}@gpt`, name, passes: 0, counted: 0, interval: null, ...changes };
  return { ...parts, status: "errored", error };
}

export function skippedCase(name: string, changes: Partial<Skipped> = {}): TestResult {
  const { suite, model, row, prompt, fault, tags, critical, allowFailure, position } = ran;
  const identity = { suite, model, row, prompt, fault, tags, critical, allowFailure, position };
  return { ...identity, id: `Suite A/${name}@gpt`, name, reason: "skip: true", ...changes, status: "skipped" };
}

const plain = {
  passed: { output: "hello", assertions: [sampleAssertion()] },
  failed: {
    output: "hello",
    assertions: [sampleAssertion({ pass: false, score: 0, message: 'Expected "hello" in the answer' })],
  },
  errored: { output: "", assertions: [] },
};

function sampleTrial(test: Ran): TrialResult {
  const parts = {
    caseId: test.id,
    trial: 1,
    latencyMs: 812.3456789,
    durationMs: 820,
    costUsd: 0.1 + 0.2,
    usage: { inputTokens: 10, outputTokens: 5 },
    attempts: 1,
    unpricedRequests: 0,
    servedBy: "gpt-4.1-mini",
    fallback: null,
    finishReason: "stop",
    turns: [],
    toolCalls: [],
    messages: [],
    ...plain[test.status],
    ...shownBy.get(test),
  };
  if (test.status === "errored") return { ...parts, status: "errored", error: test.error };
  return { ...parts, status: test.status, error: null };
}

/** A finished run of the given suites, with the summary that belongs to them. */
export function sampleRun(suites: readonly SuiteResult[], changes: Partial<RunResult> = {}): RunResult {
  const tests = suites.flatMap((suite) => suite.tests);
  const count = (status: TestResult["status"]): number => tests.filter((test) => test.status === status).length;
  const isGreen = count("failed") + count("errored") === 0;
  return {
    kindlm: "0.1.0",
    verdict: isGreen ? "passed" : "failed",
    exitCode: isGreen ? 0 : 1,
    reasons: [],
    run: {
      id: "run-1",
      startedAt: "2026-02-15T10:30:00.000Z",
      endedAt: "2026-02-15T10:30:01.200Z",
      durationMs: 1_200,
      seed: 1,
      interrupted: false,
      project: "acme",
      git: null,
    },
    summary: {
      total: tests.length,
      passed: count("passed"),
      failed: count("failed"),
      errored: count("errored"),
      skipped: count("skipped"),
      allowedFailures: 0,
      passRate: 0.75,
      interval: [0.3006, 0.9544],
      meanRate: { mean: 0.75, standardError: 0.25, interval: [0.28, 0.96], cases: 4, clusters: 4 },
      errorRate: 0.2,
      costUsd: 0.0123,
      unpricedRequests: 0,
      usage: { inputTokens: 100, outputTokens: 50 },
      latencyMs: { p50: 800, p95: 900 },
      timeToFirstTokenMs: null,
      requests: 9,
      retries: 2,
      fallbacks: 0,
      providers: [
        {
          provider: "openai",
          requests: 9,
          errors: 3,
          errorRate: 1 / 3,
          errorsByCode: { PROVIDER_RATE_LIMIT: 2, PROVIDER_TIMEOUT: 1 },
          limiter: { limit: 6, rateLimits: 2, lanes: [{ lane: "gpt", ratePerSecond: 19.04, rateLimits: 2 }] },
        },
      ],
      failures: { llm_api: 3, tool: 1, network: 0, validation: 0, service: 0 },
      toolErrors: { validation: 1 },
      toolErrorsByTool: { lookup: { validation: 1 } },
    },
    gates: [],
    suites,
    suiteSummaries: summarizeSuites(suites, new Map()),
    warnings: [],
    async *trials(caseId) {
      for (const test of tests) {
        if (test.status !== "skipped" && (caseId === undefined || test.id === caseId)) yield sampleTrial(test);
      }
    },
    ...changes,
  };
}

/** A run of one suite. */
export function inSuite(tests: readonly TestResult[], changes: Partial<RunResult> = {}): RunResult {
  return sampleRun([{ status: "run", name: "Suite A", file: "kindlm.yaml", tests }], changes);
}

/** The three suites of the specification's example. */
export function threeSuites(): RunResult {
  const timeout = kindlmError("PROVIDER_TIMEOUT", "OpenAI request timed out after 30000ms", {
    details: { provider: "OpenAI", timeout: { kind: "request", ms: 30_000 } },
  });
  const missing = 'system_prompt_file "prompts/missing.txt" not found';
  const inB = (name: string): TestResult =>
    skippedCase(name, { id: `Suite B/${name}@gpt`, suite: "Suite B", reason: missing });
  const inC = (name: string): TestResult => passedCase(name, { id: `Suite C/${name}@gpt`, suite: "Suite C" });
  const file = "kindlm.yaml";
  return sampleRun(
    [
      {
        status: "run",
        name: "Suite A",
        file,
        tests: [passedCase("Test 1"), failedCase("Test 2"), erroredCase("Test 3", timeout)],
      },
      {
        status: "skipped",
        name: "Suite B",
        file,
        error: kindlmError("CONFIG_FILE_REF_ERROR", missing, { details: { path: "prompts/missing.txt" } }),
        diagnostics: [],
        tests: [inB("Test 1"), inB("Test 2")],
      },
      { status: "run", name: "Suite C", file, tests: [inC("Test 1"), inC("Test 2")] },
    ],
    { reasons: [] },
  );
}
