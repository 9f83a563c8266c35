import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cassettesIn, secretKey, serve } from "./support/cassette-project.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { reportErrors } from "./support/report-errors.js";
import { runCli } from "./support/run-cli.js";
import { sendJson, type Handler } from "../packages/core/src/__fixtures__/start-server.js";

interface Assertion {
  type: string;
  pass: boolean;
  message: string;
  skipped?: boolean;
  judgingCostUsd?: number | null;
  error?: { code: string; message: string };
}

interface Report {
  verdict: string;
  summary: { requests: number; costUsd: number | null; judges?: { requests: number }; awaitingBaseline?: number };
  suites: { tests: { status: string; error: { code: string; message: string } | null; assertions: Assertion[] }[] }[];
}

const answer = "Order ORD-1 was delivered on Monday.";

function configOf(assert: string, { models = "", defaults = "{}", text = answer } = {}): string {
  return `version: 1
models:
  - { id: agent, provider: scripted, script: { otherwise: { text: ${JSON.stringify(text)} } } }
${models}
defaults: ${defaults}
suites:
  - name: orders
    tests:
      - name: t
        input: Where is ORD-1?
        assert:
${assert.replaceAll(/^/gm, "          ")}
`;
}

/** A config whose embedding model is on that server. */
function embeddedBy(url: string, more = ""): string {
  const assert = `- { type: contains, value: ORD-1 }
- { type: similar, reference: It arrived on Monday., method: embedding, threshold: 0.9 }${more}`;
  const models = `  - { id: small, provider: local, model: embed-1, pricing: { input: 1000, output: 0 }, retry: { max_attempts: 2, initial_delay: 1ms } }
providers: { local: { type: openai, base_url: "${url}/v1", api_key_env: LOCAL_KEY } }`;
  return configOf(assert, { models, defaults: "{ embedder: small }" });
}

async function run(cwd: string, ...more: readonly string[]) {
  const env: Readonly<Record<string, string>> = more.includes("replay") ? {} : { LOCAL_KEY: secretKey };
  const ran = await runCli(["test", "--reporter", "json", ...more], { cwd, env });
  const report = JSON.parse(ran.stdout || "{}") as Report;
  expect(reportErrors(report)).toEqual([]);
  const [test] = report.suites[0]?.tests ?? [];
  return { ...ran, report, test, assertions: test?.assertions ?? [] };
}

const vectors: Handler = (_request, response) =>
  sendJson(response, 200, {
    model: "embed-1-2026",
    data: [
      { index: 0, embedding: [3, 4] },
      { index: 1, embedding: [4, 3] },
    ],
    usage: { prompt_tokens: 10, total_tokens: 10 },
  });

describe("without a model", () => {
  it("compares and tells refusals on the command line", async () => {
    const assert = `- { type: similar, reference: ORD-1 was delivered on Monday }
- { type: similar, reference: ${JSON.stringify(answer.replace("Mon", "Sun"))}, method: levenshtein, threshold: 0.99 }
- { type: does_not_refuse }
- { type: refuses, patterns: ["^Order"] }`;
    const cwd = makeProject({ "kindlm.yaml": configOf(assert) });
    const { code, assertions, report } = await run(cwd);
    expect(code).toBe(1);
    expect(assertions.map(({ type, pass }) => [type, pass])).toEqual([
      ["similar", true],
      ["similar", false],
      ["does_not_refuse", true],
      ["refuses", true],
    ]);
    expect(assertions[1]?.message).toBe(
      'Expected the answer to be similar to the reference (Levenshtein similarity at least 0.99), but it is 0.944: from word 7 on it says "Monday", not "Sunday"',
    );
    expect(report.summary).not.toHaveProperty("judges");
  });

  it("embeds by a scripted model, offline", async () => {
    const assert = `- { type: similar, reference: "monday delivered order ord 1 was on", method: embedding, threshold: 1, model: words }
- { type: similar, reference: "nothing of it", method: embedding, threshold: 0, model: words }`;
    const models = "  - { id: words, provider: scripted, script: {} }";
    const { code, test, assertions } = await run(makeProject({ "kindlm.yaml": configOf(assert, { models }) }));
    expect([code, test?.status]).toEqual([0, "passed"]);
    expect(assertions.map(({ message }) => message.replace(/,.*/, ""))).toEqual([
      "The answer is similar to the reference: cosine of the embeddings 1",
      "The answer is similar to the reference: cosine of the embeddings 0",
    ]);
  });

  it("says what is missing before anything runs", async () => {
    const assert = "- { type: similar, reference: x, method: embedding }";
    const { code, stderr } = await runCli(["validate"], { cwd: makeProject({ "kindlm.yaml": configOf(assert) }) });
    expect(code).toBe(1);
    expect(stderr).toContain("This assertion needs an embedding model, but none is set");
    expect(stderr).toContain("Add embedder: <model> to defaults, the suite or the test");
  });
});

describe("by an embedding model", () => {
  it("asks once for both texts, and counts that apart from the agent", async () => {
    const server = await serve(vectors);
    const { code, report, assertions } = await run(makeProject({ "kindlm.yaml": embeddedBy(server.url) }));
    expect(code).toBe(0);
    expect(server.requests.map(({ path, json }) => [path, json])).toEqual([
      ["/v1/embeddings", { model: "embed-1", input: ["It arrived on Monday.", answer] }],
    ]);
    expect(assertions[1]).toMatchObject({ pass: true, judgingCostUsd: 0.01 });
    expect(assertions[1]?.message).toContain("cosine of the embeddings 0.96");
    expect(report.summary).toMatchObject({ requests: 1, costUsd: 0.01, judges: { requests: 1 } });
  });

  it("asks again after a 429", async () => {
    const server = await serve((request, response) => {
      if (request.number > 1) return vectors(request, response);
      response.writeHead(429, { "retry-after-ms": "5" });
      response.end("{}");
    });
    const { code, report } = await run(makeProject({ "kindlm.yaml": embeddedBy(server.url) }));
    expect([code, server.requests.length]).toEqual([0, 2]);
    expect(report.summary.judges).toMatchObject({ requests: 2 });
  });

  it.each<[string, Handler, string]>([
    ["is down", (_request, response) => response.socket?.destroy(), "could not be asked"],
    ["refuses", (_request, response) => sendJson(response, 401, { error: { message: "no" } }), "could not be asked"],
    ["speaks of something else", (_request, response) => response.end("<html>"), "a body that is not JSON"],
    [
      "gives too few",
      (_request, response) => sendJson(response, 200, { data: [{ index: 0, embedding: [1] }] }),
      "1 vectors for 2 strings",
    ],
    [
      "gives no numbers",
      (_request, response) => sendJson(response, 200, { data: [{ embedding: ["a"] }, { embedding: ["b"] }] }),
      "a vector that is not a list of numbers",
    ],
    [
      "gives nothing to compare",
      (_request, response) => sendJson(response, 200, { data: [{ embedding: [0, 0] }, { embedding: [1, 1] }] }),
      "vectors that cannot be compared",
    ],
  ])("is an error where the server %s, beside what can be told", async (_what, handler, message) => {
    const server = await serve(handler);
    const { code, test, assertions } = await run(makeProject({ "kindlm.yaml": embeddedBy(server.url) }));
    expect([code, test?.status, test?.error?.code]).toEqual([1, "errored", "JUDGE_EVAL_ERROR"]);
    expect(test?.error?.message).toContain(message);
    expect(assertions.map(({ type, pass }) => [type, pass])).toEqual([
      ["contains", true],
      ["similar", false],
    ]);
  });

  it("still fails where a deterministic assertion does", async () => {
    const server = await serve((_request, response) => void response.socket?.destroy());
    const config = embeddedBy(server.url, "\n- { type: contains, value: ORD-2 }");
    const { test } = await run(makeProject({ "kindlm.yaml": config }));
    expect(test).toMatchObject({ status: "failed", error: null });
  });

  it("replays from a cassette without server and key", async () => {
    const server = await serve(vectors);
    const cwd = makeProject({ "kindlm.yaml": embeddedBy(server.url) });
    const recorded = await run(cwd, "--cassette", "record");
    await server.close();
    const replayed = await run(cwd, "--cassette", "replay");
    expect([recorded.code, replayed.code]).toEqual([0, 0]);
    expect(replayed.assertions[1]?.message).toBe(recorded.assertions[1]?.message);
    expect(replayed.report.summary).toMatchObject({ judges: { requests: 1 }, replayed: 1 });
    expect(JSON.stringify(cassettesIn(cwd))).not.toContain(secretKey);
    writeFileSync(join(cwd, "kindlm.yaml"), embeddedBy(server.url).replace("It arrived", "It came"));
    const missed = await run(cwd, "--cassette", "replay");
    expect([missed.code, missed.test?.error?.code]).toEqual([1, "JUDGE_EVAL_ERROR"]);
    expect(missed.test?.error?.message).toContain("It came on Monday.");
  });
});

describe("drift", () => {
  const write = (cwd: string, text: string, assert = "- { type: drift }"): void =>
    writeFileSync(join(cwd, "kindlm.yaml"), configOf(assert, { text }));

  it("waits for the first baseline, and compares with it from then on", async () => {
    const cwd = makeProject({});
    const order = { status: "delivered", total: 5, items: [1, 2] };
    write(cwd, JSON.stringify(order));
    const first = await run(cwd);
    expect([first.code, first.test?.status]).toEqual([0, "passed"]);
    expect(first.assertions).toMatchObject([{ type: "drift", skipped: true }]);
    expect(first.report.summary.awaitingBaseline).toBe(1);
    expect((await runCli(["test"], { cwd })).stderr + (await runCli(["test"], { cwd })).stdout).toContain(
      "1 trial without a saved answer to compare with. Save answers: kindlm baseline set",
    );

    const set = await runCli(["baseline", "set"], { cwd });
    expect([set.code, set.stderr]).toEqual([0, expect.any(String)]);
    const same = await run(cwd);
    expect([same.code, same.assertions[0]?.message]).toEqual([
      0,
      "The answer is at most 0.2 away from that of the baseline: it is the same",
    ]);
    expect(same.report.summary).not.toHaveProperty("awaitingBaseline");

    write(cwd, JSON.stringify({ ...order, status: "lost" }));
    const drifted = await run(cwd);
    expect([drifted.code, drifted.test?.status]).toEqual([1, "failed"]);
    expect(drifted.assertions[0]?.message).toBe(
      'Expected the answer to be at most 0.2 away from that of the baseline, but it is 0.25 away (1 of 4 fields differs: status is "lost", was "delivered")',
    );
  });

  it("is an error where the baseline is corrupt", async () => {
    const cwd = makeProject({});
    write(cwd, "Yes.");
    await run(cwd);
    await runCli(["baseline", "set"], { cwd });
    const file = join(cwd, ".kindlm", "baselines", "orders.json");
    writeFileSync(file, readFileSync(file, "utf8").replace("Yes.", "Yes!"));
    const { code, test } = await run(cwd);
    expect([code, test?.status, test?.error?.code]).toEqual([1, "errored", "BASELINE_CORRUPT"]);
  });

  it("keeps nothing from failing that can be told", async () => {
    const cwd = makeProject({});
    write(cwd, "Yes.", "- { type: drift }\n- { type: contains, value: No }");
    const { code, test } = await run(cwd);
    expect([code, test?.status]).toEqual([1, "failed"]);
  });
});
