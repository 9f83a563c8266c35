import { summarizeSuites } from "../packages/core/build/engine/summary/summarize.js";
import { createRandom } from "../packages/core/build/values/random.js";
import { Conversation, durationMs, providers, rateLimit, startedAt } from "./large-run-conversation.js";

/**
 * A finished run of any size, as `runTests` gives it, for reports: of a shop's assistant, with prose that varies, so that
 * it compresses as conversations do. Trials are made when they are read, the same each time, and none is kept.
 */

const suiteNames = ["order-status", "refunds", "escalations", "returns", "billing", "addresses", "loyalty", "privacy"];
const models = ["gpt", "claude"];
const rows = ["alpha", "beta", "gamma", "delta", "東京-返品", "🙂-emoji"];
const tests = ["where-is", "full-refund", "declined-by-user", "angry-customer", "unknown-order", "haggles", "recovers"];

export function largeRun({ cases = 10_000, trials = 3, seed = 42, isHostile = false } = {}) {
  const all = Array.from({ length: cases }, (_, index) => caseOf(index, { cases, trials, seed }));
  const testsOf = (name) => all.filter(({ suite }) => suite === name);
  const suites = suiteNames.map((name) => ({ status: "run", name, file: "kindlm.yaml", tests: testsOf(name) }));
  const places = new Map(all.map(({ id }, index) => [id, index]));
  const count = (status) => all.filter((test) => test.status === status).length;
  const counts = Object.fromEntries(
    ["passed", "failed", "errored", "skipped"].map((status) => [status, count(status)]),
  );
  const { passed, failed, errored } = counts;
  return {
    kindlm: "0.1.0",
    verdict: "failed",
    exitCode: 1,
    reasons: [],
    run: {
      id: "20261122-112309728-58f78b",
      startedAt,
      endedAt: "2026-11-22T11:45:09.728Z",
      durationMs,
      seed: 1,
      interrupted: false,
      project: "acme-support",
      git: { commit: "0123456789abcdef", branch: "main", dirty: false },
    },
    summary: {
      ...counts,
      total: cases,
      allowedFailures: 0,
      passRate: passed / (passed + failed),
      interval: [0.8, 0.9],
      meanRate: null,
      errorRate: errored / cases,
      costUsd: cases * 0.004,
      unpricedRequests: 0,
      usage: { inputTokens: cases * 4_000, outputTokens: cases * 400 },
      latencyMs: { p50: 2_100, p95: 9_800 },
      timeToFirstTokenMs: null,
      requests: cases * trials * 3,
      retries: 12,
      fallbacks: 0,
      providers: Object.values(providers).map((provider) => ({
        provider,
        requests: cases * trials,
        errors: 12,
        errorRate: 0.01,
        errorsByCode: { PROVIDER_RATE_LIMIT: 12 },
        limiter: { limit: 6, rateLimits: 12, lanes: [] },
      })),
      failures: { llm_api: 12, tool: 0, network: 0, validation: 0, service: 0 },
    },
    gates: [],
    suites,
    suiteSummaries: summarizeSuites(suites, new Map()),
    warnings: [],
    async *trials(caseId) {
      for (const test of caseId === undefined ? all : [all[places.get(caseId)]]) {
        const index = places.get(test.id);
        for (let trial = 1; trial <= trials; trial += 1) {
          const random = createRandom((seed * 1_000_003 + index) * 31 + trial);
          const from = Date.parse(startedAt) + Math.round((durationMs * (index + trial / trials)) / cases);
          yield new Conversation(test, random, isHostile, from).hold(trial);
        }
      }
    },
  };
}

function caseOf(index, { cases, trials, seed }) {
  const random = createRandom(seed * 1_000_003 + index);
  const suite = suiteNames[Math.floor((index * suiteNames.length) / cases)];
  const model = models[index % 2];
  const row = rows[Math.floor(index / 2) % rows.length];
  const name = `${tests[Math.floor(index / 12) % tests.length]}-${String(Math.floor(index / 12)).padStart(4, "0")}`;
  const isBad = random() < 0.18;
  const isErrored = !isBad && random() < 0.03;
  const statuses = Array.from({ length: trials }, () => {
    if (isErrored) return "errored";
    return random() < (isBad ? 0.25 : 0.97) ? "passed" : "failed";
  });
  const passes = statuses.filter((status) => status === "passed").length;
  const required = Math.ceil(trials * 0.6);
  const status = isErrored ? "errored" : passes >= required ? "passed" : "failed";
  const decisive = statuses.findIndex((one) => one !== "passed");
  return {
    id: `${suite}/${name}[${row}]@${model}`,
    suite,
    name,
    model,
    row,
    prompt: null,
    fault: null,
    tags: index % 3 === 0 ? ["smoke"] : [],
    critical: false,
    allowFailure: null,
    position: { file: "kindlm.yaml", line: 40 + (index % 400), column: 9, length: 4 },
    status,
    error: isErrored ? rateLimit() : null,
    mixed: passes > 0 && passes < trials,
    passes,
    required,
    runs: trials,
    counted: isErrored ? 0 : trials,
    interval: [0.2, 0.9],
    latencyMs: Math.round(800 + random() * 4_000),
    costUsd: Number((0.0004 + random() * 0.004).toFixed(6)) * trials,
    decisiveTrial: decisive === -1 ? trials : decisive + 1,
    fallback: null,
    agentHash: "0123456789abcdef",
    checkHash: "fedcba9876543210",
    statuses,
  };
}
