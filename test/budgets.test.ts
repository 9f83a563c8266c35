import { describe, expect, it, onTestFinished } from "vitest";
import type { Clock } from "../packages/core/src/values/clock.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { runCli } from "./support/run-cli.js";
import {
  sendJson,
  startServer,
  type Handler,
  type LoopbackServer,
} from "../packages/core/src/__fixtures__/start-server.js";

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

describe("money", () => {
  it("that is spent stops the run: the rest is skipped, not failed, and the run has not passed", async () => {
    const server = await serve(well);
    const { report: told, tests } = await report({
      providers: { shop: server.url },
      // A reply has 82 tokens of input and 17 of output.
      models: ["{ id: main, provider: shop, model: m, pricing: { input: 10000, output: 10000 } }"],
      top: ["limits: { max_cost: 2.5 }"],
      cases: 40,
      concurrency: 1,
    });
    expect(server.requests).toHaveLength(3);
    expect(tests.filter(({ status }) => status === "passed")).toHaveLength(3);
    expect(tests.filter(({ status }) => status === "skipped")).toHaveLength(37);
    expect(tests.at(-1)?.reason).toBe("max_cost of $2.5 is used up");
    expect(told.verdict).toBe("failed");
    expect(told.reasons).toEqual(["not all cases ran: max_cost of $2.5 is used up"]);
  });

  it("that is spent stops a conversation before its next request", async () => {
    const server = await serve((request, response) => {
      const call = { id: "call_1", tool: "nothing", args: {} };
      sendJson(response, 200, chatCompletion(request.number < 20 ? { toolCalls: [call] } : { text: "hello" }));
    });
    const { tests } = await report({
      providers: { shop: server.url },
      models: ["{ id: main, provider: shop, model: m, pricing: { input: 10000, output: 10000 } }"],
      top: ["limits: { max_cost: 1.5 }"],
      cases: 1,
      concurrency: 1,
      // There is no such tool, which the model is told; it goes on all the same.
      test: ["input: go on"],
    });
    expect(server.requests).toHaveLength(2);
    expect(tests[0]).toMatchObject({ status: "errored", error: { code: "ENGINE_BUDGET_EXCEEDED" } });
  });
});

describe("the money of a trial", () => {
  it("that is spent stops its conversation before the next message, also where no tool was called", async () => {
    const server = await serve(well);
    const { tests } = await report({
      providers: { shop: server.url },
      // Each answer costs $0.99.
      models: ["{ id: main, provider: shop, model: m, pricing: { input: 10000, output: 10000 } }"],
      top: ["limits: { max_trial_cost: 1.5 }"],
      cases: 2,
      concurrency: 1,
      test: ["conversation: [{ user: one }, { user: two }, { user: three }]"],
    });
    expect(server.requests).toHaveLength(4);
    const error = { code: "ENGINE_BUDGET_EXCEEDED", message: "max_trial_cost of $1.5 is used up" };
    expect(tests).toMatchObject([
      { status: "errored", error },
      { status: "errored", error },
    ]);
  });
});
