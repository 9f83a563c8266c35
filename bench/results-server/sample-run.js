/** Runs as the client sends them: their measurements are made up, their size is not. */

const usage = { inputTokens: 120, outputTokens: 60 };

/** The measurements of a case with so many trials, as the client sends them. */
export function caseOf(number, suites, trials = 5) {
  const assertion = (type) => ({ type, pass: true, score: 1 });
  const trial = (index) => ({
    trial: index,
    status: "passed",
    error: null,
    durationMs: 900 + index,
    waitedMs: 700 + index,
    costUsd: 0.0003,
    latencyMs: 700 + index,
    firstTokenMs: 210 + index,
    turns: 2,
    toolCalls: 1,
    nudges: 0,
    awaitsBaseline: false,
    failure: null,
    toolErrors: [],
    toolFallbacks: 0,
    judgeScores: [],
    usage,
    knownCostUsd: 0.0003,
    requests: 2,
    unpricedRequests: 0,
    retries: 0,
    fallbacks: 0,
    replayed: 0,
    attemptFailures: {},
    simulatedUser: null,
    judges: null,
    providers: [{ provider: "openai", requests: 2, errors: 0, byCode: {} }],
    assertions: ["tool_called", "contains", "max_latency"].map(assertion),
  });
  const suite = `suite-${number % suites}`;
  const name = `case-${number}`;
  return {
    id: `${suite}/${name}@gpt`,
    suite,
    name,
    row: null,
    model: "gpt",
    prompt: null,
    fault: null,
    tags: [],
    critical: false,
    allowFailure: false,
    status: "passed",
    error: null,
    mixed: false,
    passes: trials,
    required: trials,
    runs: trials,
    counted: trials,
    latencyMs: 812.5 + number,
    costUsd: 0.0015,
    usage,
    decisiveTrial: 1,
    fallback: null,
    agentHash: "agent-now",
    checkHash: `check-${number % 7}`,
    trials: Array.from({ length: trials }, (_, index) => trial(index + 1)),
  };
}

/** The head of a run. */
export function runOf(run, { cases, suites }) {
  const moment = new Date().toISOString();
  const figures = {
    total: cases,
    passed: cases,
    failed: 0,
    errored: 0,
    skipped: 0,
    allowedFailures: 0,
    passRate: 1,
    interval: [0.99, 1],
    meanRate: null,
    errorRate: 0,
    costUsd: 1.5,
    unpricedRequests: 0,
    usage,
    latencyMs: { p50: 800, p95: 900 },
    requests: cases * 5,
    toolErrors: {},
  };
  const extras = { timeToFirstTokenMs: null, retries: 0, fallbacks: 0, providers: [], failures: {} };
  const suiteOf = (index) => ({ name: `suite-${index}`, status: "run", cases: cases / suites, figures });
  return {
    format: 1,
    kindlm: "0.1.0",
    run,
    startedAt: moment,
    endedAt: moment,
    seed: 1,
    project: null,
    configHash: "c1",
    ciAttempt: null,
    commit: "abc",
    branch: "main",
    dirty: false,
    interrupted: false,
    halted: false,
    verdict: "passed",
    exitOn: "tests",
    rules: { gates: {} },
    suites: Array.from({ length: suites }, (_, index) => suiteOf(index)),
    cases,
    include: [],
    summary: { ...figures, ...extras },
    gates: [],
    comparison: null,
    agents: {},
    spent: [],
  };
}
