import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { afterFile } from "../packages/core/src/__fixtures__/clean-up.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { repository, runCli } from "./support/run-cli.js";
import { exportSpans, spansOf } from "./fixtures/agents/spans.mjs";

const agent = JSON.stringify(join(repository, "test", "fixtures", "agents", "traced-agent.mjs"));

interface Report {
  run: { warnings?: unknown };
  warnings?: { message: string }[];
  suites: {
    tests: {
      id: string;
      status: string;
      error: { message: string; details?: { kind: string; hint?: string } } | null;
      assertions: { message: string }[];
      trials: {
        output: string;
        usage: { inputTokens: number };
        turns: { servedBy: string; agent?: string }[];
        toolCalls: { tool: string; agent?: string; result: unknown; ranBy?: string }[];
      }[];
    }[];
  }[];
}

async function run(config: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  const cwd = makeProject({ "kindlm.yaml": `version: 1\n${config}` });
  const ran = await runCli(["test", "--no-journal", "--verbose", "--reporter", "json", ...args], { cwd, env });
  if (!ran.stdout.startsWith("{")) throw new Error(ran.stderr + ran.stdout);
  const report = JSON.parse(ran.stdout) as Report;
  return { ...ran, report, tests: report.suites.flatMap(({ tests }) => tests) };
}

const called =
  "{ type: tool_called, tool: lookup_order, args: { order_id: ORD-1 }, result: { status: delivered }, times: 1 }";

/** What Node finds programs by. */
const path = { PATH: process.env["PATH"] ?? "" };

describe("a program that sends spans", () => {
  it("is evaluated on the trace that KindLM began for its trial, also with others at the same time", async () => {
    const tests = (name: string, ...flags: string[]) => `
      - name: ${name}
        target: { command: [${["node", agent, ...flags].join(", ")}], traces: { quiet: 20ms } }
        input: "Where is ORD-1?"
        assert:
          - ${called}
          - { type: contains, value: "${name}@command was delivered." }
          - { type: tokens, max: 30, min: 30 }
          - { type: turns, max: 2, min: 2 }`;
    const config = `suites:
  - name: shop
    tests:${tests("plain")}
        runs: 2${tests("own-trace", "--own-trace")}${tests("no-answer", "--no-answer")}
      - name: conversation
        target: { command: [node, ${agent}, --lines], protocol: json_lines, traces: { quiet: 20ms } }
        conversation:
          - { user: "Where is ORD-1?", assert: [${called}] }
          - { user: "And now?", assert: [${called}, { type: turns, max: 2 }] }
`;
    const { code, tests: cases, report } = await run(config, ["--concurrency", "4"], path);
    expect([code, cases.map(({ status }) => status)]).toEqual([0, ["passed", "passed", "passed", "passed"]]);
    const [trial] = cases[0]?.trials ?? [];
    expect(trial?.turns.map(({ servedBy, agent: name }) => [servedBy, name])).toEqual([
      ["small-model", "triage"],
      ["small-model", "triage"],
    ]);
    expect(trial?.toolCalls).toMatchObject([{ tool: "lookup_order", agent: "triage", ranBy: "agent" }]);
    expect(JSON.stringify(report)).not.toContain("no trial started");
  });

  it("finds where it sends them, and nothing of another collector", async () => {
    const config = `suites:
  - name: shop
    tests:
      - name: variables
        target: { command: [node, ${agent}, --variables, --no-answer], traces: true }
        input: Hi
        assert: [{ type: contains, value: x }]
`;
    const { tests } = await run(config, [], {
      ...path,
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example.com",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://collector.example.com/v1/traces",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer prod",
    });
    const [test] = tests;
    expect(JSON.stringify(test?.error)).toMatch(/OTEL_EXPORTER_OTLP_HEADERS=undefined/);
    expect(JSON.stringify(test?.error)).toMatch(
      /OTLP_TRACES_ENDPOINT=http:\/\/127\.0\.0\.1:\d+\/\w+\/v1\/traces\\nOTEL_EXPORTER_OTLP_PROTOCOL=http\/protobuf/,
    );
  });

  it("is errored without spans, which is not its fault, and told what to check", async () => {
    const config = `suites:
  - name: shop
    tests:
      - name: silent
        target: { command: [node, ${agent}, --silent], traces: { wait: 20ms } }
        input: Hi
        assert: [{ type: tool_not_called, tool: refund }]
`;
    const { tests, code } = await run(config, [], path);
    const [test] = tests;
    expect([code, test?.status]).toEqual([1, "errored"]);
    expect(test?.error?.message).toMatch(/^No span arrived at http:\/\/127\.0\.0\.1:\d+\/\w+ within 20 ms$/);
    expect(test?.error?.details).toMatchObject({
      kind: "untraced",
      hint: expect.stringContaining("flushes its spans"),
    });
  });

  it("cannot say twice what its agent did", async () => {
    const config = (target: string) => `suites:
  - name: shop
    tests: [{ name: a, target: ${target}, input: Hi, assert: [{ type: contains, value: x }] }]
`;
    const messageOf = async (target: string) => {
      const cwd = makeProject({ "kindlm.yaml": `version: 1\n${config(target)}`, "agent.mjs": "" });
      return (await runCli(["validate"], { cwd })).stderr;
    };
    expect(await messageOf("{ command: [node, x], proxy: true, traces: true }")).toContain("cannot be combined");
    expect(await messageOf("{ module: ./agent.mjs, proxy: true, traces: true }")).toContain("cannot be combined");
    const calls = "{ url: http://127.0.0.1:1, response: { text: a, tool_calls: b }, traces: true }";
    expect(await messageOf(calls)).toContain('"tool_calls" cannot be combined with "traces"');
    expect(await messageOf("{ command: [node, x], traces: { wait: 5 } }")).toContain("5s");
  });
});

/** A service that answers, and sends its spans later. */
function startService(serve: (traceparent: string | undefined) => Promise<void>) {
  const parents: (string | undefined)[] = [];
  const late: Promise<void>[] = [];
  const server = createServer((incoming: IncomingMessage, response) => {
    const traceparent = incoming.headers["traceparent"]?.toString();
    parents.push(traceparent);
    incoming.resume().on("end", () => {
      response.end("It was delivered.");
      late.push(serve(traceparent));
    });
  });
  afterFile(() => void server.close());
  return new Promise<{ url: string; parents: typeof parents; settled(): Promise<unknown> }>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      resolve({ url: `http://127.0.0.1:${port}`, parents, settled: () => Promise.all(late) });
    });
  });
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return port;
}

const question = { question: "Where is ORD-1?", answer: "It was delivered." };

const serviceConfig = (url: string, port: number, more = "", runs = 1) => `defaults: { runs: ${runs} }
suites:
  - name: shop
    target: { url: "${url}", traces: { port: ${port}, quiet: 20ms ${more} } }
    tests:
      - name: order
        input: "Where is ORD-1?"
        assert: [${called}, { type: equals, value: It was delivered. }]
`;

describe("a service that sends spans", () => {
  it("continues the trace of each request, whose spans are awaited", async () => {
    const port = await freePort();
    const { url, parents } = await startService(async (traceparent) => {
      const { spans } = spansOf(traceparent, question);
      // The end of the conversation and the spans above it come last.
      for (const span of spans) await exportSpans(`http://127.0.0.1:${port}`, [span]);
    });
    const { code, tests } = await run(serviceConfig(url, port, "", 3), ["--concurrency", "3"]);
    expect([code, tests.map(({ status }) => status)]).toEqual([0, ["passed"]]);
    for (const traceparent of parents)
      expect(traceparent).toMatch(/^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-01$/);
    expect(new Set(parents.map((one) => one?.slice(3, 35))).size).toBe(3);
  });

  it("is errored if it begins other traces, and their spans are reported", async () => {
    const port = await freePort();
    const { url } = await startService(async () => {
      await exportSpans(`http://127.0.0.1:${port}`, spansOf(undefined, question).spans);
    });
    const { report, tests } = await run(serviceConfig(url, port, ", wait: 300ms"));
    expect(tests[0]?.error?.message).toBe("No span of the trial arrived within 300 ms, but 4 spans of other traces");
    expect(tests[0]?.error?.details?.hint).toContain("must continue the trace");
    expect(JSON.stringify(report)).toContain("4 spans of 1 trace that no trial started arrived and were not evaluated");
  });

  it("is told where another run listens", async () => {
    const port = await freePort();
    const { url } = await startService(async () => {});
    const other = createServer();
    await new Promise<void>((resolve) => void other.listen(port, "127.0.0.1", resolve));
    const { tests } = await run(serviceConfig(url, port));
    await new Promise((resolve) => void other.close(resolve));
    expect(tests[0]?.error?.message).toContain(`Could not listen at 127.0.0.1:${port}`);
    expect(tests[0]?.error?.details?.hint).toContain("traces.port");
  });

  it("does not hold a run that is interrupted while it waits", async () => {
    const port = await freePort();
    const stop = new AbortController();
    const { url } = await startService(async () => stop.abort());
    const cwd = makeProject({ "kindlm.yaml": `version: 1\n${serviceConfig(url, port, ", wait: 1h")}` });
    const { code, stdout } = await runCli(["test", "--no-journal"], { cwd, interrupt: stop.signal });
    expect([code, stdout]).toEqual([1, expect.stringMatching(/interrupted/i)]);
  });
});

it("takes a function whose spans go to the address that it is given", async () => {
  const spans = JSON.stringify(join(repository, "test", "fixtures", "agents", "spans.mjs"));
  const cwd = makeProject({
    "agent.mjs": `import { exportSpans, spansOf } from ${spans};
export async function run(input, { trace }) {
  await exportSpans(trace.endpoint, spansOf(trace.traceparent, { question: input, answer: "It was delivered." }).spans);
  return "It was delivered.";
}`,
    "kindlm.yaml": `version: 1
suites:
  - name: shop
    target: { module: "./agent.mjs#run", traces: { quiet: 20ms } }
    tests: [{ name: order, input: "Where is ORD-1?", assert: [${called}] }]
`,
  });
  const { code, stdout } = await runCli(["test", "--no-journal"], { cwd });
  expect([code, stdout]).toEqual([0, expect.stringContaining("1 passed")]);
});
