import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli, type CliOutcome } from "./support/run-cli.js";
import { briefly, cliPath } from "./support/start-cli.js";

interface ReportedCase {
  id: string;
  status: string;
  runs?: number;
  required?: number;
  passes?: number;
  reason?: string;
  error: { code: string; message: string } | null;
  assertions?: { type: string; pass: boolean; message: string }[];
}

interface Report {
  verdict: string;
  run: { id: string; scored?: object };
  summary: { total: number; passed: number; failed: number; errored: number; skipped: number; requests: number };
  gates: { name: string; pass: boolean }[];
  suites: { tests: ReportedCase[] }[];
}

// A provider that no key is there for: whatever asks a model fails.
const config = `version: 1
models: [{ id: gpt, provider: openai, model: gpt-4.1-mini }]
suites:
  - name: orders
    tools: [{ name: lookup, parameters: { type: object, properties: { id: { type: string } } }, default: { return: ok } }]
    tests:
      - name: found
        input: Where is order 7?
        runs: 3
        pass: 2
        assert:
          - { type: tool_called, tool: lookup, args: { id: "7" }, result: { status: sent } }
          - { type: contains, value: sent }
      - name: city
        rows: [{ id: bonn, city: Bonn }, { id: kyiv, city: Kyiv }]
        input: "Weather in {{city}}?"
        assert: [{ type: contains, value: "{{city}}" }]
      - name: talk
        conversation:
          - { user: Cancel it, assert: [{ type: contains, value: "?" }] }
          - { user: "Yes", assert: [{ type: tool_called, tool: lookup }] }
        assert: [{ type: asks_before, tool: lookup }]
      - { name: fast, input: hi, assert: [{ type: latency, max: 1s }, { type: cost, max: 1 }] }
  - name: other
    tests: [{ name: found, input: hi, assert: [{ type: contains, value: x }] }]
`;

const found = (answer: string, id = "7"): object => ({
  test: "orders/found",
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Where is order 7?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "lookup", arguments: `{"id":"${id}"}` } }],
    },
    { role: "tool", tool_call_id: "c", content: '{"status":"sent"}' },
    { role: "assistant", content: answer },
  ],
});

const jsonLines = (lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

async function score(cwd: string, args: readonly string[]): Promise<CliOutcome & { report: Report }> {
  const ran = await runCli([...args, "--reporter", "json"], { cwd });
  return { ...ran, report: JSON.parse(ran.stdout || "{}") as Report };
}

function casesOf(report: Report): Record<string, ReportedCase> {
  return Object.fromEntries(report.suites.flatMap(({ tests }) => tests).map((test) => [test.id, test]));
}

describe("kindlm score", () => {
  it("evaluates what was recorded elsewhere, line by line, without a model", async () => {
    const anthropic = {
      test: "talk",
      system: "Be brief.",
      messages: [
        { role: "user", content: "Cancel it" },
        { role: "assistant", content: "Do you really want that?" },
        { role: "user", content: "Yes" },
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "lookup", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }] },
        { role: "assistant", content: [{ type: "text", text: "Done" }] },
      ],
    };
    const lines = [
      found("It was sent"),
      found("It was sent"),
      found("No idea"),
      found("It was sent", "8"),
      { test: "city", row: "bonn", output: "Sunny in Bonn" },
      { test: "city", row: "kyiv", output: "Sunny in Bonn" },
      anthropic,
      { test: "fast", model: "gpt-4.1-mini", output: "x", latencyMs: 20, costUsd: 0.1 },
      { test: "fast", model: "production", output: "x" },
    ];
    // As Windows writes it.
    const text = `\uFEFF${jsonLines(lines).replaceAll("\n", "\r\n")}\r\n`;
    const cwd = makeProject({ "kindlm.yaml": config, "t.jsonl": text });
    const { report, code, stderr } = await score(cwd, ["score", "t.jsonl"]);
    expect(stderr).not.toContain("✗ There");
    const cases = casesOf(report);
    // Two of four are not two of three.
    expect(cases["orders/found@gpt"]).toMatchObject({ status: "failed", runs: 4, required: 3, passes: 2 });
    expect(cases["orders/city[bonn]@gpt"]).toMatchObject({ status: "passed", runs: 1 });
    expect(cases["orders/city[kyiv]@gpt"]).toMatchObject({ status: "failed" });
    expect(cases["orders/talk@gpt"]).toMatchObject({ status: "passed" });
    expect(cases["orders/fast@gpt"]).toMatchObject({ status: "passed" });
    expect(cases["orders/fast@production"]).toMatchObject({ error: { code: "ASSERTION_EVAL_ERROR" } });
    expect(cases["other/found@gpt"]).toMatchObject({ status: "skipped", reason: "it has no transcript" });
    expect(report.summary).toMatchObject({ total: 7, passed: 3, failed: 2, errored: 1, skipped: 1, requests: 0 });
    expect(report.run.scored).toEqual({ from: "transcripts", files: ["t.jsonl"] });
    expect(code).toBe(1);

    const again = await runCli(["report", "--reporter", "json"], { cwd });
    expect(JSON.parse(again.stdout)).toEqual(report);
    const resumed = await runCli(["test", "--resume"], { cwd });
    expect(resumed.stderr).toContain("scored transcripts, so there is nothing to resume");
    const blessed = await runCli(["baseline", "set"], { cwd });
    expect(blessed).toMatchObject({ code: 1, stderr: expect.stringContaining("scored transcripts") as string });
  });

  it("passes where all pass, with the other tests left out", async () => {
    const cwd = makeProject({
      "kindlm.yaml": config,
      "t.jsonl": jsonLines([found("sent"), { test: "fast", output: "" }]),
    });
    const { code, report } = await score(cwd, ["score", "t.jsonl", "-t", "orders/found", "--no-journal"]);
    expect(code).toBe(0);
    expect(report.summary).toMatchObject({ total: 1, passed: 1 });
    expect(readdirSync(cwd)).not.toContain(".kindlm");
  });

  it("reports where each wrong line is, and what was expected", async () => {
    const lines = [
      { test: "orders/fuond", output: "x" },
      { test: "found", output: "x" },
      { test: "city", output: "x" },
      { test: "city", row: "bon", output: "x" },
      { test: "talk", row: "a", output: "x" },
      { test: "talk", mesages: [] },
      found("fine"),
    ];
    const cwd = makeProject({ "kindlm.yaml": config, "t.jsonl": `${jsonLines(lines)}{"test":\n\n` });
    const { code, stderr, stdout } = await runCli(["score", "t.jsonl"], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    for (const expected of [
      '✗ Test "orders/fuond" not found\n  Did you mean "orders/found"?\n  t.jsonl:1:1\n',
      '✗ The test "found" is in several suites\n  Use one of orders/found, other/found\n  t.jsonl:2:1\n',
      '✗ The test "city" has a dataset, and the line names no row\n  Write "row": one of bonn, kyiv\n  t.jsonl:3:1\n',
      '✗ The dataset of test "city" has no row "bon"\n  Did you mean "bonn"?\n  t.jsonl:4:1\n',
      '✗ The test "talk" has no dataset, and so no row "a"\n  t.jsonl:5:1\n',
      '✗ Unknown key "mesages"\n  Did you mean "messages"?\n  t.jsonl:6:1\n',
      "✗ The line is not valid JSON",
      "  t.jsonl:8:1\n",
    ]) {
      expect(stderr).toContain(expected);
    }
    expect(stderr).not.toContain("t.jsonl:7:1");
    expect(readdirSync(cwd)).not.toContain(".kindlm");
  });

  it("sees a forbidden call in whatever form it was written down, and refuses what could be one", async () => {
    const guarded = `version: 1
models: [{ id: gpt, provider: openai, model: gpt-4.1-mini }]
suites:
  - name: s
    tests: [{ name: t, input: hi, assert: [{ type: tool_not_called, tool: "delete_*" }] }]
`;
    const says = (...content: readonly object[]) => ({ test: "t", messages: [{ role: "assistant", content }] });
    const calls = [
      says({ toolUse: { toolUseId: "a", name: "delete_order", input: {} } }),
      says({ type: "tool-call", toolCallId: "a", toolName: "delete_order", input: {} }),
      {
        test: "t",
        messages: [{ role: "assistant", parts: [{ type: "tool-delete_order", toolCallId: "a", input: {} }] }],
      },
      {
        test: "t",
        messages: [
          {
            type: "ai",
            content: "",
            additional_kwargs: { tool_calls: [{ function: { name: "delete_order", arguments: "{}" } }] },
          },
        ],
      },
    ];
    const told = { ...calls[0], toolCalls: [] };
    const cwd = makeProject({ "kindlm.yaml": guarded, "t.jsonl": jsonLines([...calls, told]) });
    const { report, code } = await score(cwd, ["score", "t.jsonl"]);
    expect(report.suites[0]?.tests[0]).toMatchObject({ status: "failed", runs: 5, passes: 0 });
    expect(code).toBe(1);

    const unknown = [says({ type: "text", text: "Done" }), says({ type: "tool_request", name: "delete_order" })];
    await writeFile(join(cwd, "u.jsonl"), jsonLines(unknown));
    const refused = await runCli(["score", "u.jsonl"], { cwd });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('messages[0].content[0] has the type "tool_request", which is not known');
    expect(refused.stderr).toContain("u.jsonl:2:1");
  });

  it.each<[string, readonly string[], string]>([
    ["an empty file", ["empty.jsonl"], "✗ Nothing to score in empty.jsonl"],
    ["a file that is not there", ["gone.jsonl"], "✗ File not found: gone.jsonl"],
    ["a config in place of transcripts", ["kindlm.yaml"], "✗ kindlm.yaml looks like a config"],
    [
      "tests that are left out",
      ["t.jsonl", "--suite", "other"],
      "✗ None of the 1 transcript in t.jsonl belongs to a selected test",
    ],
    ["stdin twice", ["-", "-"], "✗ stdin is given more than once"],
    ["a file twice", ["t.jsonl", "./t.jsonl"], "✗ ./t.jsonl is given twice"],
  ])("does not pass with %s", async (_name, args, message) => {
    const cwd = makeProject({ "kindlm.yaml": config, "empty.jsonl": "\n", "t.jsonl": jsonLines([found("sent")]) });
    const { code, stderr } = await runCli(["score", ...args], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });

  it("reads stdin", async () => {
    const cwd = makeProject({ "kindlm.yaml": config });
    const child = spawn(process.execPath, [...briefly, cliPath, "score", "-"], {
      cwd,
      env: { PATH: process.env["PATH"] ?? "" },
    });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
    child.stdin.end(jsonLines([found("sent")]).trimEnd());
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("1 passed") as string });
    expect(out).toContain("Scored from stdin: no model under test was called");
  });

  it("evaluates gates that the transcripts report, and says which they do not", async () => {
    const gated = `${config}gates: { pass_rate: 0.5, cost: 0.01, latency_p95: 10ms }\n`;
    const told = { test: "fast", output: "x", latencyMs: 20, costUsd: 0.1 };
    const cwd = makeProject({ "kindlm.yaml": gated, "t.jsonl": jsonLines([told]) });
    const { report } = await score(cwd, ["score", "t.jsonl"]);
    expect(report.gates.map(({ name, pass }) => [name, pass])).toEqual([
      ["pass_rate", true],
      ["cost", false],
      ["latency_p95", false],
    ]);
    await writeFile(join(cwd, "t.jsonl"), jsonLines([found("sent")]));
    const untold = await score(cwd, ["score", "t.jsonl"]);
    expect(untold.report.gates.map(({ name }) => name)).toEqual(["pass_rate"]);
    expect(untold.stderr).toContain("The gate cost is not evaluated: 1 transcript without its cost");
  });

  it("asks the judges of the tests, and counts what they take", async () => {
    const judged = `version: 1
models:
  - { id: gpt, provider: openai, model: gpt-4.1-mini }
  - { id: j, provider: scripted, script: { otherwise: { json: { reasoning: Polite., score: 0.9 } } } }
defaults: { judge: j, models: [gpt] }
suites:
  - { name: s, tests: [{ name: t, input: hi, assert: [{ type: judge, criteria: It is polite }] }] }
`;
    const lines = [
      { test: "t", output: "Hello" },
      { test: "t", output: "Hello!" },
    ];
    const cwd = makeProject({ "kindlm.yaml": judged, "t.jsonl": jsonLines(lines) });
    const { code, report } = await score(cwd, ["score", "t.jsonl"]);
    expect(code).toBe(0);
    expect(report.summary).toMatchObject({ passed: 1, requests: 0, judges: { requests: 2 } });
  });

  it("scores every line, also where a run would end its cases early, and by the gates of suites", async () => {
    const early = config
      .replace(
        "  - name: orders\n",
        "  - name: orders\n    early_end: true\n    gates: { pass_rate: 0.9, cost: 1, first_try: 1 }\n",
      )
      .replace("pass: 2", "pass: 1");
    const lines = [found("sent"), found("sent"), found("lost"), found("sent")];
    const cwd = makeProject({ "kindlm.yaml": early, "t.jsonl": jsonLines(lines) });
    const { report, stderr } = await score(cwd, ["score", "t.jsonl"]);
    expect(casesOf(report)["orders/found@gpt"]).toMatchObject({ runs: 4, required: 2, passes: 3, status: "passed" });
    expect(report.gates.map(({ name, pass }) => [name, pass])).toEqual([["pass_rate", true]]);
    for (const name of ["cost", "first_try"])
      expect(stderr).toContain(`The gate ${name} is not evaluated: 4 transcripts`);
  });

  it("reports wrong lines once that are equally wrong, and of each on request", async () => {
    const lines = Array.from({ length: 60 }, () => ({ test: "nope" }));
    const cwd = makeProject({ "kindlm.yaml": config, "t.jsonl": jsonLines(lines) });
    const { stderr } = await runCli(["score", "t.jsonl"], { cwd });
    expect(stderr.match(/^✗ /gm)).toHaveLength(2);
    expect(stderr).toContain("and at 59 more places: lines 2, 3, 4, 5, 6, …\n");
    expect(stderr.endsWith("✗ 60 errors in t.jsonl, 1 kind\n  Show all with --all\n")).toBe(true);
    const all = await runCli(["score", "t.jsonl", "--all"], { cwd });
    expect(all.stderr.match(/^✗ The line contains no conversation/gm)).toHaveLength(60);
  });
});

it("keeps no secret of a transcript", async () => {
  const secret = "sk-canary-0123456789abcdefghijklmnop";
  const cwd = makeProject({ "kindlm.yaml": config, "t.jsonl": jsonLines([found(`sent ${secret}`)]) });
  const { stdout } = await runCli(["score", "t.jsonl", "--verbose"], { cwd });
  expect(stdout).toContain("1 passed");
  expect(stdout).not.toContain(secret);
  const run = readdirSync(join(cwd, ".kindlm", "runs")).find((name) => !name.startsWith(".")) ?? "";
  expect(readFileSync(join(cwd, ".kindlm", "runs", run, "journal.jsonl"), "utf8")).not.toContain(secret);
});
