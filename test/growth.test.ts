import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { baselinePlace } from "../packages/core/src/baseline/baseline-place.js";
import { renderBaseline } from "../packages/core/src/baseline/change-baseline.js";
import { loadBaseline } from "../packages/core/src/baseline/load-baseline.js";
import { createRedactor } from "../packages/core/src/redaction/redactor.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { sendJson, startServer, type LoopbackServer } from "../packages/core/src/__fixtures__/start-server.js";
import { baselineFile, entriesIn } from "./support/baseline-project.js";
import { runCli } from "./support/run-cli.js";

const cases = 12;
const env = { LOCAL_KEY: "key-of-the-server" };

let server: LoopbackServer;
let tokens: (question: number) => number = () => 100;

beforeAll(async () => {
  server = await startServer(({ body }, response) => {
    const [, question = "0"] = /"q(\d+)"/.exec(body) ?? [];
    const output = tokens(Number(question));
    const usage = { prompt_tokens: 50, completion_tokens: output, total_tokens: 50 + output };
    sendJson(response, 200, { ...chatCompletion({ text: "hello" }), usage });
  });
});
afterAll(() => server.close());

function project(gates: string) {
  const config = (all: string): string => `version: 1
${all}
providers: { local: { type: openai, base_url: "${server.url}/v1", api_key_env: LOCAL_KEY } }
models: [{ id: m, provider: local, model: m-1, pricing: { input: 1, output: 2 } }]
suites:
  - name: s
    tests: [{ name: t, dataset: rows.jsonl, input: "{{id}}", assert: [{ type: contains, value: hello }] }]
`;
  const cwd = makeProject({
    "kindlm.yaml": config(gates),
    "rows.jsonl": Array.from({ length: cases }, (_, index) => `{"id":"q${index + 1}"}\n`).join(""),
  });
  return {
    cwd,
    test: (...args: readonly string[]) => runCli(["test", ...args], { cwd, env }),
    set: () => runCli(["baseline", "set"], { cwd, env }),
    gate: (all: string) => writeFileSync(`${cwd}/kindlm.yaml`, config(all)),
  };
}

it("trips on growth beyond chance and beyond the limit, and keeps what trials took", async () => {
  const { cwd, test, set, gate } = project(
    "gates: { tokens_increase: 10, cost_increase: 200, tool_calls_increase: 5 }",
  );
  tokens = (question) => 100 + question;
  const first = await test();
  expect(first).toMatchObject({ code: 0 });
  expect(first.stdout + first.stderr).toContain("No baseline to compare with");
  expect(await set()).toMatchObject({ code: 0 });
  const entry = entriesIn(baselineFile(cwd, "s")).find(({ caseId }) => caseId === "s/t[q1]@m");
  expect(entry).toMatchObject({
    effort: { trials: 1, tokens: 151, turns: 1, toolCalls: 0, costUsd: expect.any(Number) },
  });
  expect(await test()).toMatchObject({ code: 0 });

  tokens = (question) => 160 + 2 * question;
  const grown = await test("--verbose");
  expect(grown).toMatchObject({ code: 1 });
  expect(grown.stdout).toContain("Takes more: cost +");
  expect(grown.stdout.replaceAll(/\s+/g, " ")).toMatch(
    /tokens_increase: \+\d+(\.\d)?% \(95% interval .*, beyond chance\) in suite "s", expected at most/,
  );
  expect(grown.stdout).toContain("Within chance: ");
  const { stdout: markdown } = await runCli(["report", "last", "--reporter", "markdown"], { cwd, env });
  expect(markdown).toContain("- Takes more: cost +");
  const { stdout: json } = await runCli(["report", "last", "--reporter", "json"], { cwd, env });
  const report = JSON.parse(json) as { comparison: { suites: { growth: { name: string; grown: boolean }[] }[] } };
  // The real latencies of this machine are whatever they are.
  const grew = report.comparison.suites[0]?.growth.filter(({ grown: has, name }) => has && name !== "latency");
  expect(grew?.map(({ name }) => name)).toEqual(["cost", "tokens"]);
  gate("gates: { tokens_increase: 80 }");
  expect(await test()).toMatchObject({ code: 0 });
  // A growth that is accepted is the next baseline.
  expect(await set()).toMatchObject({ code: 0 });
  gate("gates: { tokens_increase: 0, cost_increase: 0 }");
  expect(await test()).toMatchObject({ code: 0 });
});

it("says that the baseline of an earlier version does not contain the figures, and passes", async () => {
  const { cwd, test, set } = project("gates: { turns_increase: 0 }");
  await test();
  await set();
  const place = baselinePlace(cwd, "s");
  const saved = await loadBaseline(place);
  if (saved.status !== "sound") return expect.unreachable("it was just saved");
  const entries = [...saved.baseline.entries.values()].map(({ effort: _effort, runs: _runs, ...before }) => before);
  writeFileSync(
    place.path,
    [...renderBaseline(saved.baseline.header, entries, createRedactor([]).redactJson)].join(""),
  );
  expect(readFileSync(place.path, "utf8")).toContain('"schemaVersion": 1');
  const { code, stdout } = await test();
  expect(code).toBe(0);
  expect(stdout.replaceAll(/\s+/g, " ")).toContain("kindlm baseline set adds it");
  expect(stdout).toContain(
    'turns_increase is not evaluated: the baseline of suite "s" was saved before KindLM kept it',
  );
});
