import { describe, expect, it, onTestFinished } from "vitest";
import { createLeapingClock } from "./support/leaping-clock.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { runCli } from "./support/run-cli.js";
import {
  sendJson,
  startServer,
  type Handler,
  type LoopbackServer,
} from "../packages/core/src/__fixtures__/start-server.js";

interface Report {
  summary: { providers: { provider: string; limiter: unknown }[] };
  suites: { name: string; tests: { status: string; model: string; error: { code: string } | null }[] }[];
}

const rows = Array.from({ length: 8 }, (_, index) => `{ id: c${index} }`).join(", ");

/** A config whose suite runs eight cases on each of its models. */
const config = (suite: string, providers: readonly string[], models: readonly string[]): string => `version: 1
providers:
${providers.map((line) => `  ${line}`).join("\n")}
models:
${models.map((line) => `  - ${line}`).join("\n")}
defaults: { concurrency: 2 }
retry: disabled
suites:
  - name: ${suite}
    tests: [{ name: t, input: hello, rows: [${rows}], assert: [{ type: contains, value: hello }] }]
`;

async function serve(handler: Handler): Promise<LoopbackServer> {
  const server = await startServer(handler);
  onTestFinished(() => server.close());
  return server;
}

async function report(files: Readonly<Record<string, string>>, ...flags: string[]): Promise<Report> {
  const ran = await runCli(["test", ...Object.keys(files), "--reporter", "json", ...flags], {
    cwd: makeProject(files),
    clock: createLeapingClock(),
  });
  return JSON.parse(ran.stdout) as Report;
}

const well: Handler = (_request, response) => sendJson(response, 200, chatCompletion({ text: "hello" }));

describe("two configs with one server", () => {
  it("that have one id for different models: the circuit of one keeps nobody from the other", async () => {
    const server = await serve((request, response) =>
      request.body.includes('"model":"sick"')
        ? sendJson(response, 503, { error: { message: "down" } })
        : well(request, response),
    );
    const provider = `shop: { type: openai, base_url: ${server.url} }`;
    const { suites } = await report({
      "a.yaml": config("a", [provider], ["{ id: main, provider: shop, model: sick }"]),
      "b.yaml": config("b", [provider], ["{ id: main, provider: shop, model: sound }"]),
    });
    expect(suites[0]?.tests.at(-1)?.error?.code).toBe("PROVIDER_CIRCUIT_OPEN");
    expect(suites[1]?.tests.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => "passed"));
  });

  it("of which one limits the requests per minute: the limit holds for its own", async () => {
    const server = await serve(well);
    const open = `shop: { type: openai, base_url: ${server.url} }`;
    const limited = `shop: { type: openai, base_url: ${server.url}, requests_per_minute: 3 }`;
    const { suites } = await report(
      {
        "a.yaml": config("a", [open], ["{ id: main, provider: shop, model: m }"]),
        "b.yaml": config("b", [limited], ["{ id: main, provider: shop, model: m }"]),
      },
      // Those that wait for the limit do so in three pairs, all of them before a minute lets a fourth request go.
      "--timeout",
      "4s",
    );
    expect(suites[0]?.tests.filter(({ status }) => status === "passed")).toHaveLength(8);
    expect(suites[1]?.tests.filter(({ status }) => status === "passed")).toHaveLength(3);
  });
});

describe("two providers of one config with one server", () => {
  it("each have what their limiter settled on in the report", async () => {
    const server = await serve(well);
    const providers = ["first", "second"].map((name) => `${name}: { type: openai, base_url: ${server.url} }`);
    const models = ["{ id: one, provider: first, model: m }", "{ id: two, provider: second, model: m }"];
    const { summary } = await report({ "kindlm.yaml": config("s", providers, models) });
    const limiter = { limit: 2, rateLimits: 0, lanes: [] };
    expect(summary.providers).toMatchObject([
      { provider: "first", limiter },
      { provider: "second", limiter },
    ]);
  });
});
