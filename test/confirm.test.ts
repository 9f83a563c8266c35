import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entriesIn, baselineFile } from "./support/baseline-project.js";
import { secretKey } from "./support/cassette-project.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { runCli } from "./support/run-cli.js";
import { sendJson, startServer, type LoopbackServer } from "../packages/core/src/__fixtures__/start-server.js";

const cases = 12;
const runs = 3;
const env = { LOCAL_KEY: secretKey };

/** The model calls a tool that there is none of. */
const lost = "a tool that is not there";

/** How the model answers the n-th request of a question, from 1; null breaks the connection. */
type Answers = (question: string, request: number) => string | null;

let server: LoopbackServer;
/** Of a suite with a baseline in which every trial passed. */
let blessed: string;
let answers: Answers = () => "hello";
/** How often each question was asked. */
let received = new Map<string, number>();

beforeAll(async () => {
  server = await startServer(({ body }, response) => {
    const [, question = ""] = /"(q\d+)"/.exec(body) ?? [];
    const request = (received.get(question) ?? 0) + 1;
    received.set(question, request);
    const text = answers(question, request);
    if (text === null) response.destroy();
    else if (text === lost)
      sendJson(response, 200, chatCompletion({ toolCalls: [{ id: "1", tool: "lost", args: {} }] }));
    else sendJson(response, 200, chatCompletion({ text }));
  });
  blessed = makeProject({
    "kindlm.yaml": `version: 1
retry: disabled
circuit_breaker: false
exit_on: gates
gates: { regressions: 0, errored: 0 }
providers: { local: { type: openai, base_url: "${server.url}/v1", api_key_env: LOCAL_KEY } }
models: [{ id: m, provider: local, model: m-1 }]
suites:
  - name: s
    tests: [{ name: t, runs: ${runs}, dataset: rows.jsonl, input: "{{id}}", assert: [{ type: contains, value: hello }] }]
`,
    "rows.jsonl": Array.from({ length: cases }, (_, index) => `{"id":"q${index + 1}"}\n`).join(""),
  });
  expect(await runCli(["test"], { cwd: blessed, env })).toMatchObject({ code: 0 });
  expect(await runCli(["baseline", "set"], { cwd: blessed, env })).toMatchObject({ code: 0 });
});

afterAll(() => server.close());

/** The project of each test. */
function blessedProject() {
  const cwd = makeProject({});
  cpSync(blessed, cwd, { recursive: true });
  return {
    cwd,
    /** Runs the tests against a model that answers like this; gives what it was asked, question by question. */
    async test(changed: Answers, ...args: readonly string[]) {
      answers = changed;
      received = new Map();
      const ran = await runCli(["test", "--reporter", "json", ...args], { cwd, env });
      const report = JSON.parse(ran.stdout) as {
        exitCode: number;
        run: { id: string };
        gates: { name: string; pass: boolean }[];
        comparison: { verdict: string; suites: Record<string, unknown>[] };
        summary: { requests: number; toolErrors: Record<string, number> };
        suites: {
          tests: {
            id: string;
            runs: number;
            passes: number;
            fresh?: object;
            trials: { trial: number; fresh?: true }[];
          }[];
        }[];
      };
      return { ...ran, report, asked: received };
    },
  };
}

const isBad = (question: string): boolean => Number(question.slice(1)) <= 8;
/** Bad luck in the first look alone, and an agent that has really got worse. */
const unlucky: Answers = (question, request) => (isBad(question) && request <= runs ? "no" : "hello");
const worse: Answers = (question) => (isBad(question) ? "no" : "hello");
const gone: Answers = (question, request) => (isBad(question) ? (request <= runs ? "no" : null) : "hello");

describe("kindlm test --confirm", () => {
  it("withdraws an alarm that confirmation trials do not raise again, and asks for the suspect cases alone", async () => {
    const { test, cwd } = blessedProject();
    const alarm = await test(unlucky);
    expect(alarm.report).toMatchObject({ exitCode: 1, comparison: { verdict: "regressed" } });
    expect(alarm.report.gates).toContainEqual(expect.objectContaining({ name: "regressions", pass: false }));
    const { report, asked, stderr } = await test(unlucky, "--confirm");
    expect(report.comparison.verdict).not.toBe("regressed");
    expect(report.comparison.suites).toMatchObject([{ confirmed: true, cases: 8, meanDifference: 0, worse: [] }]);
    expect(report.exitCode).toBe(0);
    expect([...asked.values()].toSorted((a, b) => a - b)).toEqual([3, 3, 3, 3, 6, 6, 6, 6, 6, 6, 6, 6]);
    expect(report.summary.requests).toBe(cases * runs + 8 * runs);
    expect(stderr).toContain("Confirming 8 suspect cases with");
    // What the cases came to is still what their own trials came to.
    const [first] = report.suites[0]?.tests ?? [];
    expect(first).toMatchObject({ runs: 3, passes: 0, fresh: { passes: 3, trials: 3 } });
    expect(first?.trials.map(({ trial, fresh }) => [trial, fresh])).toEqual([
      ...[1, 2, 3].map((trial) => [trial, undefined]),
      ...[4, 5, 6].map((trial) => [trial, true]),
    ]);
    // The stored run is compared as it was.
    const stored = await runCli(["baseline", "compare", "--json"], { cwd, env });
    expect(JSON.parse(stored.stdout)).toMatchObject({ suites: [{ confirmed: true, cases: 8 }] });
    await runCli(["baseline", "set"], { cwd, env });
    const entry = entriesIn(baselineFile(cwd, "s")).find(({ caseId }) => caseId === "s/t[q1]@m");
    expect(entry).toMatchObject({ passes: 0, trials: 3 });
  });

  it("keeps an alarm that they raise too", async () => {
    const { test, cwd } = blessedProject();
    const { report } = await test(worse, "--confirm");
    expect(report).toMatchObject({ exitCode: 1, comparison: { verdict: "regressed" } });
    expect(report.comparison.suites).toMatchObject([{ confirmed: true, cases: 8, meanDifference: -1 }]);
    const shown = await runCli(["report", "last"], { cwd, env });
    expect(shown.stdout).toMatch(/^▼ s {3}regressed {3}−100 points .*\n {2}confirmed on new trials · 8 cases/m);
  });

  it("clears nobody when the model is gone", async () => {
    const { test } = blessedProject();
    const { report } = await test(gone, "--confirm");
    expect(report).toMatchObject({ exitCode: 1, comparison: { verdict: "regressed" } });
    expect(report.comparison.suites[0]).not.toHaveProperty("confirmed");
    // Fresh trials that could not be run are no errored cases.
    expect(report.gates).toContainEqual(expect.objectContaining({ name: "errored", pass: true }));
  });

  it("asks for nothing more where nothing is suspect", async () => {
    const { test } = blessedProject();
    const { report, stderr } = await test(() => "hello", "--confirm");
    expect(report.summary.requests).toBe(cases * runs);
    expect(report.comparison.suites[0]).not.toHaveProperty("confirmed");
    expect(stderr).not.toContain("suspect");
  });

  it("leaves scores and tool errors to the trials of the run", async () => {
    const { test } = blessedProject();
    const { report } = await test(
      (question, n) => (isBad(question) ? (n === runs + 1 ? lost : "no") : "hello"),
      "--confirm",
    );
    expect(report.summary.requests).toBe(cases * runs + 8 * (runs + 1));
    expect(report.summary.toolErrors).toEqual({});
  });

  it("is over when the run is scored again: no model is asked, and confirmation trials are no trials of their cases", async () => {
    const { test, cwd } = blessedProject();
    const { asked, report } = await test(worse, "--confirm");
    const before = new Map(asked);
    const folder = join(".kindlm", "runs", report.run.id);
    for (const args of [
      ["rescore", report.run.id],
      ["score", folder],
    ]) {
      const scored = await runCli([...args, "--reporter", "json"], { cwd, env });
      const { suites } = JSON.parse(scored.stdout) as { suites: { tests: { runs: number; fresh?: object }[] }[] };
      expect(suites[0]?.tests.map((one) => [one.runs, one.fresh])).toEqual(
        Array.from({ length: cases }, () => [runs, undefined]),
      );
    }
    expect(asked).toEqual(before);
  });

  it("is told what it cannot go with", async () => {
    const { cwd } = blessedProject();
    for (const [args, message] of [
      [["--shard", "1/2"], "--confirm cannot be combined with --shard"],
      [["--baseline", "off"], "--confirm cannot be combined with --baseline off"],
    ] as const) {
      expect(await runCli(["test", "--confirm", ...args], { cwd, env })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(message),
      });
    }
  });

  it("does not run confirmation trials again that a run has already", async () => {
    const { test, cwd } = blessedProject();
    await test(worse, "--confirm");
    const before = readFileSync(join(cwd, ".kindlm", "baselines", "s.json"), "utf8");
    const { report, asked } = await test(worse, "--confirm", "--resume");
    expect(report.comparison.suites).toMatchObject([{ confirmed: true, cases: 8 }]);
    expect(asked.size).toBe(0);
    expect(readFileSync(join(cwd, ".kindlm", "baselines", "s.json"), "utf8")).toBe(before);
  });
});
