import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gzipSync } from "node:zlib";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { repository, runCli } from "./support/run-cli.js";
import { scoredCase, scoreTrace, tracedConfig } from "./support/score-trace.js";

const fixture = (name: string): Buffer => readFileSync(join(repository, "test", "fixtures", "traces", name));

const recorded = [
  ["openai-agents", "spans.jsonl"],
  ["langchain", "spans.pb"],
  ["ai-sdk", "spans.jsonl"],
] as const;

describe.each(recorded)("spans of %s", (name, spans) => {
  it("give the same verdicts as the conversation of its model", async () => {
    const traced = await scoreTrace(tracedConfig, { [spans]: fixture(`${name}.${spans}`) }, "refund");
    const told = await scoreTrace(tracedConfig, { "told.jsonl": fixture(`${name}.transcript.jsonl`) });
    expect(traced).toEqual(told);
    expect(traced).toMatchObject({
      status: "failed",
      output: ["I could not refund order ORD-7: the card has expired."],
    });
  });
});

const agents = fixture("openai-agents.spans.jsonl").toString("utf8");

function manySpans(text: string): readonly Record<string, unknown>[] {
  return text
    .trim()
    .split("\n")
    .flatMap((line) => {
      const { resourceSpans } = JSON.parse(line) as { resourceSpans: { scopeSpans: { spans: object[] }[] }[] };
      return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
    })
    .map((span) => ({ ...span }));
}

const requestOf = (spans: readonly object[]): string =>
  JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

describe("files of spans", () => {
  it("may be split, laid out, packed, and hold spans in any order and more than once", async () => {
    const spans = manySpans(agents);
    const whole = await scoreTrace(tracedConfig, { "a.jsonl": agents }, "refund");
    const [odd, even] = [0, 1].map((rest) => spans.filter((_, index) => index % 2 === rest));
    const forms: readonly Record<string, string | Uint8Array>[] = [
      { "a.json": requestOf(odd ?? []), "b.json": requestOf((even ?? []).toReversed()) },
      { "a.json": JSON.stringify(JSON.parse(requestOf(spans)), null, 2) },
      { "a.json": `[${requestOf(spans)},${requestOf(spans)}]` },
      { "a.json.gz": gzipSync(agents) },
    ];
    for (const files of forms) expect(await scoreTrace(tracedConfig, files, "refund")).toEqual(whole);
  });

  it("hold a trial for each trace, and skip traces of other programs", async () => {
    const spans = manySpans(agents);
    const again = spans.map((span) => ({ ...span, traceId: "1".repeat(32) }));
    const web = { traceId: "2".repeat(32), spanId: "3".repeat(16), name: "GET /", attributes: [] };
    const cwd = makeProject({
      "kindlm.yaml": tracedConfig,
      "spans.jsonl": [requestOf(spans), requestOf([...again, web])].join("\n"),
    });
    const args = ["score", "spans.jsonl", "--as", "orders/refund", "--no-journal", "--reporter", "json"];
    const { stdout, stderr } = await runCli(args, { cwd });
    expect(stdout).toContain('"runs":2');
    expect(stderr + stdout).toContain("has 1 trace without a span of a model, a tool or an agent: skipped");
  });

  it("are rejected with the ids of the spans that cannot be used, and with what to do", async () => {
    const spans = manySpans(agents);
    const without = spans.map((span) => ({ ...span, droppedAttributesCount: span["name"] === "generation" ? 9 : 0 }));
    const cwd = makeProject({ "kindlm.yaml": tracedConfig, "a.json": requestOf(spans), "b.json": requestOf(without) });
    const unnamed = await runCli(["score", "a.json", "--no-journal"], { cwd });
    expect([unnamed.code, unnamed.stderr]).toEqual([1, expect.stringMatching(/Trace \w{32} does not say which test/)]);
    expect(unnamed.stderr).toContain("--as");
    const cut = await runCli(["score", "b.json", "--as", "refund", "--no-journal"], { cwd });
    expect(cut.stderr).toMatch(/Span \w{16} \(generation\): 9 of its attributes were cut off/);
    expect(cut.stderr).toContain("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT");
  });

  it("reports files that only look like spans", async () => {
    const cwd = makeProject({
      "kindlm.yaml": tracedConfig,
      "half.json": requestOf(manySpans(agents)).slice(0, 300),
      "odd.json": '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"zz","spanId":"1","name":"x"}]}]}]}',
      "bin.pb": "\n\u0003\u0001\u0002\u0003",
      "told.jsonl": '{"test":"refund","output":"expired"}',
      "empty.json": "",
      "note.txt": "hello\n",
      "no-spans.json": '{"resourceSpans":[]}',
      "half.pb": Buffer.from(fixture("langchain.spans.pb").subarray(0, 30_000)),
      "half.gz": gzipSync(requestOf(manySpans(agents))).subarray(0, 500),
    });
    const said = async (name: string) => (await runCli(["score", name, "--as", "refund"], { cwd })).stderr;
    for (const name of ["empty.json", "note.txt"]) {
      expect(await said(name)).toContain(`There are no traces whose test could be named: ${name} contains no spans`);
    }
    expect(await said("no-spans.json")).toContain("Nothing to score in no-spans.json");
    expect(await said("half.pb")).toContain("half.pb is not an OTLP message in Protocol Buffers");
    expect(await said("half.gz")).toContain("half.gz is a gzip file that cannot be unpacked");
    expect(await said("gone.json")).toContain("File not found: gone.json");
    expect(await said("half.json")).toContain("half.json is not valid JSON");
    expect(await said("odd.json")).toContain("has a span without a traceId of 32 hexadecimal digits (x)");
    expect(await said("bin.pb")).toContain("bin.pb is not an OTLP message in Protocol Buffers");
    expect(await said("told.jsonl")).toContain("There are no traces whose test could be named");
  });

  it("takes names of prototypes for names", async () => {
    const spans = manySpans(agents).map((span) => ({
      ...span,
      attributes: [
        ...(Array.isArray(span["attributes"]) ? (span["attributes"] as readonly unknown[]) : []),
        { key: "__proto__", value: { kvlistValue: { values: [{ key: "__proto__", value: { stringValue: "x" } }] } } },
      ],
    }));
    const { status } = await scoredCase(tracedConfig, { "a.json": requestOf(spans) }, "refund");
    expect([status, Object.keys(Object.prototype)]).toEqual(["failed", []]);
  });
});
