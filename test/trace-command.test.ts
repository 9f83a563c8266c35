import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { repository, runCli } from "./support/run-cli.js";
import { tracedConfig } from "./support/score-trace.js";

const fixture = (name: string): Buffer => readFileSync(join(repository, "test", "fixtures", "traces", name));
const lines = fixture("openai-agents.spans.jsonl").toString("utf8").trim().split("\n");

/** Starts `kindlm trace`, and hands over where it listens and what presses Ctrl-C. */
async function tracing(args: readonly string[], use: (url: string, stop: () => void) => Promise<void>) {
  const cwd = makeProject({ "kindlm.yaml": tracedConfig });
  let press: () => void = () => {};
  const uses: Promise<void>[] = [];
  const command = ["trace", "--port", "0", "--no-journal", "--quiet", "20ms", "--reporter", "json", ...args];
  const outcome = await runCli(command, {
    cwd,
    person: {
      onInterrupt: (handle) => {
        press = () => void handle("SIGINT");
        return () => {};
      },
    },
    onStderr: (text) => {
      const [, url] = /OTLP_ENDPOINT=(\S+)/.exec(text) ?? [];
      if (url !== undefined && uses.length === 0) uses.push(use(url, () => press()));
    },
  });
  await Promise.all(uses);
  return outcome;
}

const send = (url: string, body: string | Buffer, headers: Record<string, string>) =>
  fetch(`${url}/v1/traces`, { method: "POST", body: typeof body === "string" ? body : new Uint8Array(body), headers });

const json = { "content-type": "application/json" };
const protobuf = { "content-type": "application/x-protobuf" };

it("receives JSON and Protocol Buffers, packed or not, and waits for as many traces as it is told", async () => {
  const statuses: number[] = [];
  const { code, stdout } = await tracing(["--as", "refund", "--traces", "2"], async (url) => {
    // Spans of a trace come in several requests, and once more where the exporter tries again.
    for (const line of [...lines, ...lines]) statuses.push((await send(url, line, json)).status);
    const packed = gzipSync(fixture("langchain.spans.pb"));
    const { status, headers } = await send(url, packed, { ...protobuf, "content-encoding": "gzip" });
    statuses.push(status);
    expect(headers.get("content-type")).toBe("application/x-protobuf");
  });
  expect([code, new Set(statuses)]).toEqual([1, new Set([200])]);
  expect(stdout).toContain('"runs":2');
  expect(stdout).toContain("the card has expired");
});

it("says what is wrong with a request, and evaluates what came at Ctrl-C", async () => {
  const said: [number, string][] = [];
  const { stdout } = await tracing(["--as", "refund"], async (url, stop) => {
    const ask = async (reply: Promise<Response>) => said.push([(await reply).status, await (await reply).text()]);
    await ask(send(url, "hello", { "content-type": "text/plain" }));
    await ask(send(url, "{}", json));
    await ask(send(url, "\u0003", protobuf));
    await ask(send(url, "x", { ...json, "content-encoding": "gzip" }));
    await ask(send(url, "x", { ...json, "content-encoding": "br" }));
    await ask(fetch(`${url}/v1/metrics`, { method: "POST", body: "{}", headers: json }));
    await ask(fetch(`${url}/v1/traces`));
    for (const line of lines) await send(url, line, json);
    stop();
  });
  expect(said.map(([status]) => status)).toEqual([415, 400, 400, 400, 415, 404, 405]);
  expect(said[0]?.[1]).toContain("The content type text/plain is not supported: use application/json");
  expect(said[1]?.[1]).toContain('The body has no list \\"resourceSpans\\"');
  expect(said[2]?.[1]).toContain("The body is not an OTLP message in Protocol Buffers");
  expect(stdout).toContain('"runs":1');
});

it("says what to check if no span of an agent comes", async () => {
  const silent = await tracing(["--timeout", "20ms"], async () => {});
  expect([silent.code, silent.stderr]).toEqual([
    1,
    expect.stringMatching(/No request arrived at http:\/\/127\.0\.0\.1:\d+/),
  ]);
  expect(silent.stderr).toContain("OTEL_EXPORTER_OTLP_ENDPOINT");
  const refused = await tracing([], async (url, stop) => {
    await send(url, "hello", { "content-type": "text/plain" });
    stop();
  });
  expect(refused.stderr).toContain("no span of an agent in them: The content type text/plain is not supported");
  const shop = await tracing([], async (url, stop) => {
    const span = { traceId: "1".repeat(32), spanId: "2".repeat(16), name: "GET /orders" };
    const resource = { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] };
    const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] });
    expect((await send(url, body, json)).status).toBe(200);
    stop();
  });
  expect(shop.stderr).toMatch(/1 request arrived at \S+, and no span of an agent in them\n/);
  const busy = await tracing(["--timeout", "1s"], async (url, stop) => {
    const second = await tracing(["--port", new URL(url).port], async () => {});
    expect(second.stderr).toContain(
      "Choose another port with --port\n  See https://kindlm.com/docs/traces#receive-traces",
    );
    stop();
  });
  expect(busy.code).toBe(1);
});
