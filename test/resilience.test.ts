import { describe, expect, it, onTestFinished } from "vitest";
import { createManualClock } from "../packages/core/src/__fixtures__/manual-clock.js";
import type { Clock } from "../packages/core/src/values/clock.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { runCli } from "./support/run-cli.js";
import {
  refusedUrl,
  sendJson,
  startServer,
  type Handler,
  type LoopbackServer,
} from "../packages/core/src/__fixtures__/start-server.js";
import { whileAdvancing } from "./support/while-advancing.js";

interface ReportedCase {
  id: string;
  status: string;
  reason?: string;
  fallback: string | null;
  error: { code: string; message: string; category: string; origin?: Record<string, unknown> } | null;
  trials: { turns: { servedBy: string | null; fallback: string | null; attempts: number }[] }[];
}

interface Report {
  verdict: string;
  reasons: string[];
  summary: {
    requests: number;
    retries: number;
    fallbacks: number;
    providers: { provider: string; requests: number; errors: number; errorRate: number }[];
    failures: Record<string, number>;
  };
  suites: { tests: ReportedCase[] }[];
}

async function serve(handler: Handler): Promise<LoopbackServer> {
  const server = await startServer(handler);
  onTestFinished(() => server.close());
  return server;
}

const well: Handler = (_request, response) => sendJson(response, 200, chatCompletion({ text: "hello" }));
const down: Handler = (_request, response) => sendJson(response, 503, { error: { message: "down" } });

interface Setup {
  /** Entries of `providers`, by name: their base_url. */
  providers: Readonly<Record<string, string>>;
  /** The lines of `models`. */
  models: readonly string[];
  /** Further lines of the top level. */
  top?: readonly string[];
  cases: number;
  concurrency: number;
  /** The lines of the test. */
  test?: readonly string[];
}

function projectOf({ providers, models, top = [], cases, concurrency, test = [] }: Setup): string {
  const rows = Array.from({ length: cases }, (_, index) => `{ id: c${String(index + 1).padStart(4, "0")} }`);
  return makeProject({
    "kindlm.yaml": `version: 1
providers:
${Object.entries(providers)
  .map(([name, url]) => `  ${name}: { type: openai, base_url: ${url} }`)
  .join("\n")}
models:
${models.map((line) => `  - ${line}`).join("\n")}
defaults: { models: [main], concurrency: ${concurrency} }
${top.join("\n")}
suites:
  - name: s
    tests:
      - name: t
        rows: [${rows.join(", ")}]
        ${test.length > 0 ? test.join("\n        ") : "input: hello {{id}}"}
        assert: [{ type: contains, value: hello }]
`,
  });
}

async function report(setup: Setup, clock?: Clock): Promise<{ report: Report; tests: ReportedCase[] }> {
  const ran = await runCli(["test", "--reporter", "json"], { cwd: projectOf(setup), ...(clock && { clock }) });
  const parsed = JSON.parse(ran.stdout) as Report;
  return { report: parsed, tests: parsed.suites.flatMap(({ tests }) => tests) };
}

describe("a dead server", () => {
  it("takes at most concurrency + failures attempts of 50 tests, which end within seconds", async () => {
    const setup = { providers: { gone: await refusedUrl() }, models: ["{ id: main, provider: gone, model: m }"] };
    const clock = createManualClock({ start: Date.now() });
    const startedAt = clock.monotonic();
    const running = report({ ...setup, cases: 50, concurrency: 8 }, clock);
    const { report: told, tests } = await whileAdvancing(clock, 50, running);
    const seconds = (clock.monotonic() - startedAt) / 1_000;
    expect(tests.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => "errored"));
    expect(told.summary.requests).toBeLessThanOrEqual(8 + 5);
    expect(told.summary.requests).toBeGreaterThanOrEqual(5);
    expect(new Set(tests.map(({ error }) => error?.code))).toEqual(
      new Set(["PROVIDER_NETWORK_ERROR", "PROVIDER_CIRCUIT_OPEN"]),
    );
    // Without the breaker it would be 50 ÷ 8 × 3 s.
    expect(seconds).toBeLessThan(10);
    const open = tests.find(({ error }) => error?.code === "PROVIDER_CIRCUIT_OPEN");
    expect(open?.error?.message).toContain(
      "The circuit breaker of gone opened after 5 failed calls in a row. The last: Failed to",
    );
    expect(told.summary.failures["network"]).toBe(told.summary.requests);
  });

  it("that rejects the key is asked no more than once per running test", async () => {
    const server = await serve((_request, response) => sendJson(response, 401, { error: { message: "bad key" } }));
    const { tests } = await report({
      providers: { strict: server.url },
      models: ["{ id: main, provider: strict, model: m }", "{ id: other, provider: strict, model: n }"],
      cases: 50,
      concurrency: 4,
    });
    expect(server.requests.length).toBeLessThanOrEqual(4);
    expect(tests.at(-1)?.error).toMatchObject({
      code: "PROVIDER_CIRCUIT_OPEN",
      message: expect.stringContaining("because the API key was refused") as string,
    });
  });

  it("is tried by a single probe at a time, and the run heals when it does", async () => {
    const failing = 13;
    const first: (() => void)[] = [];
    let inFlight = 0;
    let most = 0;
    const server = await serve((request, response) => {
      if (request.number <= 10) {
        // All at once, so that the circuit is open before one of the ten cases has its answer from the other.
        first.push(() => void down(request, response));
        if (first.length === 10) for (const answer of first) answer();
        return;
      }
      // From here on only probes come until one is answered: there must never be two.
      inFlight += 1;
      if (request.number <= failing + 1) most = Math.max(most, inFlight);
      setTimeout(() => {
        inFlight -= 1;
        void (request.number <= failing ? down : well)(request, response);
      }, 10);
    });
    const standIn = await serve((request, response) => void setTimeout(() => void well(request, response), 15));
    const { tests, report: told } = await report({
      providers: { sick: server.url, spare: standIn.url },
      models: [
        "{ id: main, provider: sick, model: m, fallback: [spare], allow_fallback: true }",
        "{ id: spare, provider: spare, model: n }",
      ],
      top: ["retry: disabled", "circuit_breaker: { failures: 5, reset: 30ms }"],
      cases: 300,
      concurrency: 10,
    });
    expect(most).toBe(1);
    expect(tests.every(({ status }) => status === "passed")).toBe(true);
    expect(tests.findIndex(({ fallback }) => fallback === null)).toBeGreaterThan(10);
    expect(tests.slice(-10).every(({ fallback }) => fallback === null)).toBe(true);
    expect(told.summary.fallbacks).toBe(tests.filter(({ fallback }) => fallback === "spare").length);
  });
});

describe("waiting", () => {
  it("ends at once by an interruption, also when a whole model waits for a rate limit", async () => {
    const server = await serve((_request, response) =>
      sendJson(response, 429, { error: { message: "slow down" } }, { "retry-after": "50" }),
    );
    const cwd = projectOf({
      providers: { busy: server.url },
      models: ["{ id: main, provider: busy, model: m }"],
      cases: 30,
      concurrency: 4,
    });
    const interrupt = new AbortController();
    // Its time stands still.
    const ended = await runCli(["test"], {
      cwd,
      clock: createManualClock({ start: Date.now() }),
      interrupt: interrupt.signal,
      onStderr: (text) => text.includes("waiting 50 s for busy rate limit") && interrupt.abort(),
    });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("Interrupted: these results are partial.");
    // Nobody beyond those that ran at the time was told to wait.
    expect(server.requests.length).toBeLessThanOrEqual(4);
  });

  it("is in the report: what failed, how long was waited, at which provider", async () => {
    const server = await serve((request, response) =>
      request.number === 1
        ? sendJson(
            response,
            429,
            { error: { message: "slow down" } },
            { "retry-after-ms": "20", "x-request-id": "r-1" },
          )
        : well(request, response),
    );
    const setup: Setup = {
      providers: { busy: server.url },
      models: ["{ id: main, provider: busy, model: m }"],
      cases: 1,
      concurrency: 1,
    };
    const { report: told, tests } = await report(setup);
    expect(told.summary).toMatchObject({
      requests: 2,
      retries: 1,
      providers: [{ provider: "busy", requests: 2, errors: 1, errorRate: 0.5 }],
      failures: { llm_api: 1, network: 0 },
    });
    expect(tests[0]?.trials[0]?.turns[0]).toMatchObject({
      attempts: 2,
      failedAttempts: [{ attempt: 1, provider: "busy", code: "PROVIDER_RATE_LIMIT", requestId: "r-1" }],
    });
  });

  it("reports where an error happened: run, suite, test, trial, turn, attempt and request", async () => {
    const server = await serve((_request, response) =>
      sendJson(response, 400, { error: { message: "no" } }, { "x-request-id": "r-7" }),
    );
    const setup: Setup = {
      providers: { picky: server.url },
      models: ["{ id: main, provider: picky, model: m }"],
      cases: 1,
      concurrency: 1,
    };
    const { tests } = await report(setup);
    expect(tests[0]?.error).toMatchObject({
      category: "llm_api",
      origin: {
        runId: expect.stringMatching(/^\d{8}-/) as string,
        suite: "s",
        test: "t",
        caseId: "s/t[c0001]@main",
        trial: 1,
        turn: 1,
        attempt: 1,
        requestId: "r-7",
      },
    });
    const verbose = await runCli(["test", "--verbose"], { cwd: projectOf(setup) });
    expect(verbose.stdout.replaceAll(/\n +/g, " ")).toContain(
      "suite s, test t, case s/t[c0001]@main, trial 1, turn 1, attempt 1, request r-7",
    );
    expect(verbose.stdout).toContain("picky: 1 request · 1 failed (100%: 1 PROVIDER_API_ERROR)");
    expect(verbose.stdout).toContain("limiter settled on 1 at a time");
  });
});
