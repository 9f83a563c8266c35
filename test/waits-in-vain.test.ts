import { describe, expect, it, onTestFinished } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { runCli } from "./support/run-cli.js";
import { sendJson, startServer, type Handler } from "../packages/core/src/__fixtures__/start-server.js";

interface Report {
  summary: { requests: number };
  suites: { tests: { status: string; error: { code: string } | null }[] }[];
}

/** Eight cases at a time on a server that is asked two times in a minute at most. */
async function run(handler: Handler, ...flags: string[]): Promise<Report> {
  const server = await startServer(handler);
  onTestFinished(() => server.close());
  const rows = Array.from({ length: 8 }, (_, index) => `{ id: c${index} }`).join(", ");
  const cwd = makeProject({
    "kindlm.yaml": `version: 1
providers: { shop: { type: openai, base_url: ${server.url}, requests_per_minute: 2 } }
models: [{ id: main, provider: shop, model: m, pricing: { input: 10000, output: 10000 } }]
retry: disabled
circuit_breaker: { failures: 2 }
suites:
  - name: s
    tests: [{ name: t, input: hello, rows: [${rows}], assert: [{ type: contains, value: hello }] }]
`,
  });
  const ran = await runCli(["test", "--reporter", "json", ...flags], { cwd });
  return JSON.parse(ran.stdout) as Report;
}

/** Each of them would take minutes if those that wait went on waiting for their turn. */
describe("whoever waits for a limit per minute waits no longer", () => {
  it.each<[string, Handler, string[], string, string]>([
    [
      "once the key was refused",
      (_request, response) => sendJson(response, 401, { error: { message: "bad key" } }),
      [],
      "PROVIDER_AUTH_ERROR",
      "PROVIDER_CIRCUIT_OPEN",
    ],
    [
      "once the circuit is open",
      (_request, response) => sendJson(response, 503, { error: { message: "down" } }),
      [],
      "PROVIDER_API_ERROR",
      "PROVIDER_CIRCUIT_OPEN",
    ],
    [
      "once the money is spent",
      (_request, response) => sendJson(response, 200, chatCompletion({ text: "hello" })),
      ["--max-cost", "1.5"],
      "passed",
      "ENGINE_BUDGET_EXCEEDED",
    ],
  ])("%s", async (_name, handler, flags, first, others) => {
    const { summary, suites } = await run(handler, ...flags);
    const outcomes = suites.flatMap(({ tests }) => tests.map(({ status, error }) => error?.code ?? status));
    expect(outcomes).toEqual([first, first, ...Array.from({ length: 6 }, () => others)]);
    expect(summary.requests).toBe(2);
  });
});
