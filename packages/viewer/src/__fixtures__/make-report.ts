import type { ReportCase, ReportIndex } from "../report-data.js";
import type { ReportTrial } from "../report-detail.js";

export function makeCase(fields: Partial<ReportCase> = {}): ReportCase {
  return {
    id: "refunds/full[alpha]@gpt",
    suite: 0,
    model: 0,
    tags: [],
    test: "full",
    status: "passed",
    passes: 3,
    required: 2,
    counted: 3,
    trials: "ppp",
    shownTrial: 1,
    latencyMs: 1_000,
    costUsd: 0.01,
    position: "kindlm.yaml:4",
    ...fields,
  };
}

export function makeIndex(cases: readonly ReportCase[], fields: Partial<ReportIndex> = {}): ReportIndex {
  const zero = { passed: 0, failed: 0, errored: 0, skipped: 0 };
  const named = (name: string): ReportIndex["suites"][number] => ({
    name,
    counts: zero,
    passRate: null,
    interval: null,
    costUsd: 0,
    latencyMs: null,
    error: null,
  });
  const model = { cases: 0, passed: 0, errored: 0, rate: null, interval: null, costUsd: 0, latencyMs: 0 };
  return {
    formatVersion: 1,
    chunkSize: 2,
    head: {
      kindlm: "0.1.0",
      program: "npx kindlm",
      runId: "run-1",
      project: "shop",
      startedAt: "2026-11-22T11:23:09.728Z",
      durationMs: 1_000,
      verdict: "passed",
      exitCode: 0,
      reasons: [],
      isInterrupted: false,
      seed: 1,
      git: null,
      counts: zero,
      passRate: 1,
      interval: null,
      costUsd: 0.1,
      usage: { inputTokens: 1, outputTokens: 1 },
      latencyMs: null,
      requests: 1,
      retries: 0,
      notes: [],
      warnings: [],
    },
    suites: [named("refunds"), named("orders")],
    models: [
      { name: "gpt", ...model },
      { name: "claude#short", ...model },
    ],
    differences: [],
    tags: ["smoke", "nightly"],
    kinds: [{ title: "The refund is too small", where: "tool_called", cases: 1 }],
    causes: [{ title: "Rate limit hit", fix: null, cases: 1 }],
    gates: [],
    comparisons: [],
    providers: [],
    cases,
    ...fields,
  };
}

export function makeTrial(fields: Partial<ReportTrial> = {}): ReportTrial {
  return {
    trial: 1,
    status: "passed",
    error: null,
    latencyMs: 1,
    durationMs: 1,
    costUsd: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    attempts: 1,
    servedBy: null,
    finishReason: "stop",
    assertions: [],
    spans: [],
    rows: [],
    messages: [{ role: "user", content: "Hello" }],
    ...fields,
  };
}
