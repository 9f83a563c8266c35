import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { afterFile } from "../packages/core/src/__fixtures__/clean-up.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { scoredCase } from "./support/score-trace.js";

interface Collector {
  url: string;
  bodies: Buffer[];
  headers: NodeJS.Dict<string | string[]>[];
}

/** Takes what is sent to it, or answers with the status. */
function startCollector(status = 200) {
  const collector: Collector = { url: "", bodies: [], headers: [] };
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      collector.bodies.push(incoming.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body);
      collector.headers.push({ ...incoming.headers, path: incoming.url });
      response.writeHead(status).end();
    });
  });
  afterFile(() => void server.close());
  return new Promise<Collector>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      resolve(collector);
    });
  });
}

/** A conversation of two messages, with a call that fails; some of its assertions fail, too. */
const config = `version: 1
models:
  - id: offline
    provider: scripted
    script:
      rules:
        - when: { turn: 1 }
          reply: { text: "Let me look.", tool_calls: [{ tool: lookup_order, args: { id: ORD-7 } }, { tool: refund, args: { id: ORD-7, note: "password hunter-two-of-the-shop" } }] }
        - when: { turn: 2 }
          reply: { text: "It was delivered." }
      otherwise: { text: "You are welcome." }
suites:
  - name: orders
    tools:
      - { name: lookup_order, default: { return: { status: delivered } } }
      - { name: refund, default: { error: { type: logical, message: card expired, retryable: false } } }
    tests:
      - name: refund
        conversation: [{ user: "Refund ORD-7" }, { user: Thanks }]
        assert:
          - { type: tool_called, tool: lookup_order, args: { id: ORD-7 }, result: { status: delivered }, times: 1 }
          - { type: tool_order, tools: [lookup_order, refund] }
          - { type: no_tool_errors }
          - { type: tool_called, tool: refund, user_turn: 2 }
          - { type: contains, value: delivered, user_turn: 1, id: says-it }
          - { type: equals, value: "You are welcome." }
          - { type: turns, max: 3, min: 3 }
`;

const withContent = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" };

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const cwd = makeProject({ "kindlm.yaml": config });
  const { stdout, stderr, code } = await runCli(["test", "--no-journal", "--reporter", "json", ...args], { cwd, env });
  const report = JSON.parse(stdout) as {
    suites: { tests: { status: string; assertions: { type: string; pass: boolean; message: string }[] }[] }[];
  };
  const [test] = report.suites.flatMap(({ tests }) => tests);
  const assertions = test?.assertions.map(({ type, pass, message }) => ({ type, pass, message }));
  return { stdout, stderr, code, status: test?.status, assertions };
}

it.each([
  ["http/json", "spans.jsonl"],
  ["http/protobuf", "spans.pb"],
])("sends spans by %s that give the same verdicts to kindlm score", async (protocol, file) => {
  const collector = await startCollector();
  const { status, assertions, stderr } = await run([], {
    ...withContent,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20for-the-collector",
    SHOP_API_KEY: "hunter-two-of-the-shop",
  });
  expect(stderr).toContain(`Sending the spans of the run to ${new URL(collector.url).host}, with messages. --otlp off`);
  expect(collector.headers[0]).toMatchObject({ path: "/v1/traces", authorization: "Bearer for-the-collector" });
  const sent = Buffer.concat(
    collector.bodies.map((body) => (file.endsWith("l") ? Buffer.concat([body, Buffer.from("\n")]) : body)),
  );
  expect(sent.toString("utf8")).not.toContain("hunter-two-of-the-shop");
  const scored = await scoredCase(config, { [file]: sent });
  expect({
    status: scored.status,
    assertions: scored.assertions.map(({ type, pass, message }) => ({ type, pass, message })),
  }).toEqual({
    status,
    assertions,
  });
  expect(assertions?.map(({ pass }) => pass)).toEqual([true, false, false, false, true, true, true]);
});

interface Written {
  name: string;
  parentSpanId?: string;
  spanId: string;
  traceId: string;
  links?: { spanId: string }[];
  attributes: { key: string; value: Record<string, unknown> }[];
  events?: { name: string; attributes: { key: string; value: Record<string, unknown> }[] }[];
}

it("has verdicts as events, cases below the run, and nothing of what was said unless asked", async () => {
  const collector = await startCollector();
  await run(["--otlp", collector.url], { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" });
  const spans = collector.bodies.flatMap((body) => {
    const { resourceSpans } = JSON.parse(body.toString("utf8")) as {
      resourceSpans: { scopeSpans: { spans: Written[] }[] }[];
    };
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  });
  const named = (start: string): Written | undefined => spans.find(({ name }) => name.startsWith(start));
  const trial = named("trial orders/refund");
  expect(trial?.links?.[0]?.spanId).toBe(named("case orders/refund")?.spanId);
  expect(named("case orders/refund")?.parentSpanId).toBe(named("kindlm test")?.spanId);
  expect(spans.filter(({ name }) => name.startsWith("chat")).map(({ parentSpanId }) => parentSpanId)).toEqual(
    [1, 2, 3].map(() => trial?.spanId),
  );
  const verdicts = trial?.events?.map(({ attributes }) =>
    Object.fromEntries(
      attributes.map(({ key, value }) => [key.replace("gen_ai.evaluation.", ""), Object.values(value)[0]]),
    ),
  );
  expect(verdicts?.[4]).toEqual({
    name: "says-it",
    "score.value": 1,
    "score.label": "pass",
    "kindlm.assertion.type": "contains",
  });
  const all = Buffer.concat(collector.bodies).toString("utf8");
  for (const said of ["Let me look", "ORD-7", "delivered", "card expired"]) expect(all).not.toContain(said);
});

it("warns of a collector that does not take them, and changes no result", async () => {
  const plain = await run([]);
  expect(plain.stderr).not.toContain("spans");
  for (const [url, problem] of [
    ["http://127.0.0.1:9", "could not be sent to 127.0.0.1:9"],
    [(await startCollector(401)).url, "status 401"],
  ] as const) {
    const broken = await run(["--otlp", url]);
    expect([broken.code, broken.status]).toEqual([plain.code, plain.status]);
    expect(broken.stderr).toContain(problem);
  }
  const off = await run(["--otlp", "off"], { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" });
  expect(off.stderr).not.toContain("spans");
  const grpc = await run([], {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
  });
  expect(grpc.stderr).toContain("Sending no spans: OTEL_EXPORTER_OTLP_PROTOCOL is grpc");
  const cwd = makeProject({ "kindlm.yaml": config });
  const wrong = await runCli(["test", "--otlp", "collector"], { cwd });
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("--otlp is not an HTTP address: collector")]);
});
