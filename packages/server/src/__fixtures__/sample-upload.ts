import type { CaseDocument, RunDocument, UploadDocument } from "@kindlm/core/upload";

const usage = { inputTokens: 10, outputTokens: 5 };

export interface SampleCase {
  name: string;
  status?: "passed" | "failed" | "errored";
  passes?: number;
  counted?: number;
  agent?: string;
  check?: string;
}

function sampleCase({ name, status = "passed", ...more }: SampleCase): CaseDocument {
  const { counted = 2, passes = status === "passed" ? counted : 0 } = more;
  return {
    id: `refunds/${name}@gpt`,
    suite: "refunds",
    name,
    row: null,
    model: "gpt",
    prompt: null,
    fault: null,
    tags: [],
    critical: false,
    allowFailure: false,
    status,
    error: status === "errored" ? { code: "PROVIDER_TIMEOUT", by: "outside" } : null,
    mixed: passes > 0 && passes < counted,
    passes,
    required: counted,
    runs: counted,
    counted,
    latencyMs: 812.5,
    costUsd: 0.001,
    usage,
    decisiveTrial: 1,
    fallback: null,
    agentHash: more.agent ?? "agent-1",
    checkHash: more.check ?? "check-1",
    trials: [],
  };
}

export interface SampleRun {
  run: string;
  startedAt?: string;
  branch?: string;
  cases?: readonly SampleCase[];
}

const countOf = (cases: readonly CaseDocument[], status: string): number =>
  cases.filter((one) => one.status === status).length;

/** A small run of one suite. */
export function sampleUpload({
  run,
  startedAt,
  branch = "main",
  cases = [{ name: "greets" }],
}: SampleRun): UploadDocument {
  const documents = cases.map(sampleCase);
  const passed = countOf(documents, "passed");
  const failed = countOf(documents, "failed");
  const figures = {
    total: documents.length,
    passed,
    failed,
    errored: countOf(documents, "errored"),
    skipped: 0,
    allowedFailures: 0,
    passRate: passed + failed === 0 ? null : passed / (passed + failed),
    interval: null,
    meanRate: null,
    errorRate: 0,
    costUsd: 0.0123,
    unpricedRequests: 0,
    usage,
    latencyMs: { p50: 800, p95: 900 },
    requests: 9,
    toolErrors: {},
  };
  const document: RunDocument = {
    format: 1,
    kindlm: "0.1.0",
    run,
    startedAt: startedAt ?? "2026-02-15T10:30:00.000Z",
    endedAt: "2026-02-15T10:31:00.000Z",
    seed: 1,
    project: null,
    configHash: "c0",
    ciAttempt: null,
    commit: "abc",
    branch,
    dirty: false,
    interrupted: false,
    halted: false,
    verdict: failed > 0 ? "failed" : "passed",
    exitOn: "tests",
    rules: { gates: {} },
    suites: [{ name: "refunds", status: "run", cases: documents.length, figures }],
    cases: documents.length,
    include: [],
    summary: {
      ...figures,
      timeToFirstTokenMs: null,
      retries: 0,
      fallbacks: 0,
      providers: [],
      failures: {},
    },
    gates: [],
    comparison: null,
    agents: {},
    spent: [],
  };
  return { run: document, cases: documents };
}
