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

describe("a fallback", () => {
  const models = [
    "{ id: main, provider: sick, model: m, fallback: [spare], allow_fallback: true }",
    "{ id: spare, provider: spare, model: n }",
  ];

  it("answers the rest of the conversation, is on every turn of the report, and marks the case", async () => {
    const sick = await serve((request, response) => (request.number === 1 ? well : down)(request, response));
    const spare = await serve(well);
    const setup: Setup = {
      providers: { sick: sick.url, spare: spare.url },
      models,
      top: ["retry: disabled"],
      cases: 1,
      concurrency: 1,
      test: ["conversation:", "  - user: one", "  - user: two", "  - user: three"],
    };
    const { tests } = await report(setup);
    expect(tests[0]).toMatchObject({ status: "passed", fallback: "spare" });
    expect(tests[0]?.trials[0]?.turns.map(({ fallback, attempts }) => [fallback, attempts])).toEqual([
      [null, 1],
      ["spare", 2],
      ["spare", 1],
    ]);
    expect(sick.requests).toHaveLength(2);
    const pretty = await runCli(["test", "--verbose"], { cwd: projectOf(setup) });
    expect(pretty.stdout).toContain("passed — answered by fallback spare");
    expect(pretty.stdout).toContain("turn 1 attempt 2 (spare): ok");
  });

  it("is not asked for the model under test unless allow_fallback is true, of which validate warns", async () => {
    const sick = await serve(down);
    const spare = await serve(well);
    const setup: Setup = {
      providers: { sick: sick.url, spare: spare.url },
      models: models.map((line) => line.replace(", allow_fallback: true", "")),
      top: ["retry: disabled"],
      cases: 1,
      concurrency: 1,
    };
    const { tests } = await report(setup);
    expect(tests[0]).toMatchObject({ status: "errored", fallback: null });
    expect(spare.requests).toHaveLength(0);
    const checked = await runCli(["validate"], { cwd: projectOf(setup) });
    expect(checked.code).toBe(0);
    expect(checked.stdout + checked.stderr).toContain('"fallback" does nothing for a model under test unless');
  });
});
