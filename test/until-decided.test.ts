import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entriesIn, baselineFile } from "./support/baseline-project.js";
import { secretKey } from "./support/cassette-project.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { runCli } from "./support/run-cli.js";
import { sendJson, startServer, type LoopbackServer } from "../packages/core/src/__fixtures__/start-server.js";

const env = { LOCAL_KEY: secretKey };
const cases = 12;

/** How the model answers the n-th request of a question, from 1. */
type Answers = (question: number, request: number) => string;

let server: LoopbackServer;
let answers: Answers = () => "hello";
let received = new Map<number, number>();
/** Of a suite with a baseline of eight trials of each case, in which every one passed. */
let blessed: string;

const config = (runs: string): string => `version: 1
retry: disabled
circuit_breaker: false
exit_on: gates
gates: { regressions: 0, errored: 0 }
providers: { local: { type: openai, base_url: "${server.url}/v1", api_key_env: LOCAL_KEY } }
models: [{ id: m, provider: local, model: m-1, pricing: { input: 1000, output: 0 } }]
suites:
  - name: s
    tests: [{ name: t, runs: ${runs}, dataset: rows.jsonl, input: "{{id}}", assert: [{ type: contains, value: hello }] }]
`;

beforeAll(async () => {
  server = await startServer(({ body }, response) => {
    const question = Number(/"q(\d+)"/.exec(body)?.[1] ?? 0);
    const request = (received.get(question) ?? 0) + 1;
    received.set(question, request);
    sendJson(response, 200, chatCompletion({ text: answers(question, request) }));
  });
  blessed = makeProject({
    "kindlm.yaml": config("8"),
    "rows.jsonl": Array.from({ length: cases }, (_, index) => `{"id":"q${index + 1}"}\n`).join(""),
  });
  expect(await runCli(["test"], { cwd: blessed, env })).toMatchObject({ code: 0 });
  expect(await runCli(["baseline", "set"], { cwd: blessed, env })).toMatchObject({ code: 0 });
});

afterAll(() => server.close());

interface Report {
  exitCode: number;
  comparison: { verdict: string; suites: Record<string, unknown>[] };
  summary: { requests: number; passed: number; failed: number };
  suites: { tests: { id: string; runs: number; passes: number; further?: object }[] }[];
}

function project(runs: string) {
  const cwd = makeProject({});
  cpSync(blessed, cwd, { recursive: true });
  writeFileSync(join(cwd, "kindlm.yaml"), config(runs));
  return {
    cwd,
    async test(changed: Answers, ...args: readonly string[]) {
      answers = changed;
      received = new Map();
      const ran = await runCli(["test", "--reporter", "json", ...args], { cwd, env });
      const asked = [...received.values()].toSorted((a, b) => a - b);
      return { ...ran, asked, report: ran.stdout === "" ? null : (JSON.parse(ran.stdout) as Report) };
    },
  };
}

const fell =
  (bad: number): Answers =>
  (question) =>
    question <= bad ? "no" : "hello";
const each = (trials: number): number[] => Array.from({ length: cases }, () => trials);

describe("kindlm test with runs: { min, max }", () => {
  it("stops where the first look decides", async () => {
    const { test } = project("{ min: 2, max: 8 }");
    const { report, asked } = await test(fell(8));
    expect(asked).toEqual(each(2));
    expect(report?.comparison).toMatchObject({
      verdict: "regressed",
      suites: [{ looks: { looks: 1, maxLooks: 3, trials: 24, maxTrials: 96 } }],
    });
  });

  it("runs further trials of an open suite until it is regressed, and stores what decided it", async () => {
    const { test, cwd } = project("{ min: 2, max: 8 }");
    const { report, asked, stderr } = await test(fell(6));
    expect(asked).toEqual(each(8));
    expect(report).toMatchObject({
      exitCode: 1,
      comparison: { verdict: "regressed", suites: [{ meanDifference: -0.5, looks: { looks: 3, trials: 96 } }] },
    });
    expect(stderr).toContain("Not decided yet: running 24 further trials of 12 cases");
    expect(stderr).toContain("Not decided yet: running 48 further trials of 12 cases");
    // A case is what its own trials came to.
    const [first] = report?.suites[0]?.tests ?? [];
    expect(first).toMatchObject({ runs: 2, passes: 0, further: { max: 8, looks: 3, passes: 0, trials: 6 } });
    const stored = await runCli(["baseline", "compare", "--json"], { cwd, env });
    expect(JSON.parse(stored.stdout)).toMatchObject({ verdict: "regressed", suites: [{ looks: { looks: 3 } }] });
    for (const args of [["report"], ["report", "--reporter", "markdown"]]) {
      const shown = await runCli(args, { cwd, env });
      expect(shown.stdout).toMatch(/96 trials, look 3 of 3: \d+ more than a fixed number that finds as much/);
    }
    const again = await test(fell(6), "--resume");
    expect(again.asked).toEqual([]);
    expect(again.report?.comparison.suites).toMatchObject([{ looks: { looks: 3 } }]);
    await runCli(["baseline", "set"], { cwd, env });
    expect(entriesIn(baselineFile(cwd, "s"))[0]).toMatchObject({ trials: 2 });
  });

  it("runs further trials of an unchanged suite until a drop is ruled out", async () => {
    const { test } = project("{ min: 2, max: 8 }");
    const { report, asked } = await test(fell(0));
    expect(asked).toEqual(each(8));
    expect(report).toMatchObject({ exitCode: 0, comparison: { verdict: "ok" } });
  });

  it("goes by complete looks where the budget ends, and continues when the run is resumed", async () => {
    const { test } = project("{ min: 2, max: 8 }");
    const perTrial = (await test(fell(0), "--runs", "1", "--baseline", "off")).report?.summary as unknown as {
      costUsd: number;
    };
    const cost = perTrial.costUsd / cases;
    const cut = await test(fell(6), "--max-cost", String(cost * 60), "--concurrency", "1");
    expect(cut.report?.comparison).toMatchObject({
      verdict: "inconclusive",
      suites: [{ looks: { looks: 2, trials: 48 } }],
    });
    const paid = cut.asked.reduce((sum, count) => sum + count, 0);
    const rest = await test(fell(6), "--resume", "--max-cost", String(cost * 1000));
    expect(rest.report?.comparison).toMatchObject({ verdict: "regressed", suites: [{ looks: { looks: 3 } }] });
    expect(paid + rest.asked.reduce((sum, count) => sum + count, 0)).toBe(cases * 8);
  });

  it("runs none in a shard, with --confirm, with --bail, and when the run is scored again", async () => {
    const { test, cwd } = project("{ min: 2, max: 8 }");
    expect((await test(fell(6), "--shard", "1/1")).asked).toEqual(each(2));
    // The last case that fails may end the run while another still has its trials to come.
    expect(Math.max(...(await test(fell(6), "--bail=6")).asked)).toBe(2);
    expect((await test(fell(6), "--runs", "8")).asked).toEqual(each(8));
    await test(fell(6));
    received = new Map();
    expect(await runCli(["rescore"], { cwd, env })).toMatchObject({ code: 1 });
    expect(received.size).toBe(0);
  });

  it("says so where there is nothing to decide", async () => {
    const { test, cwd } = project("{ min: 2, max: 8 }");
    rmSync(join(cwd, ".kindlm", "baselines"), { recursive: true });
    const { asked, stderr } = await test(fell(6));
    expect(asked).toEqual(each(2));
    expect(stderr).toContain("No baseline to compare with, so no case had more trials");
  });

  it("says what it may cost, and what is wrong with it", async () => {
    const { cwd } = project("{ min: 2, max: 8 }");
    const valid = await runCli(["validate"], { cwd, env });
    expect(valid.stdout).toContain("s: 1 test, 12 cases, 24 trials (up to 96 to decide comparisons)");
    expect(valid.stdout).toContain("at least 24 model calls (up to 96 to decide comparisons)");
    writeFileSync(join(cwd, "kindlm.yaml"), config("{ min: 5, max: 3 }"));
    const swapped = await runCli(["validate"], { cwd, env });
    expect(swapped.stderr).toContain('"max" is 3, which is less than "min": 5');
    expect(swapped.stderr).toContain("runs: { min: 3, max: 5 }");
    writeFileSync(join(cwd, "kindlm.yaml"), config("{ min: 5, maxx: 9 }"));
    expect((await runCli(["validate"], { cwd, env })).stderr).toContain("max");
  });
});

describe("kindlm test --until-decided", () => {
  it("runs up to four times as many trials as the config says", async () => {
    const { test } = project("2");
    const { report, asked } = await test(fell(6), "--until-decided");
    expect(asked).toEqual(each(8));
    expect(report?.comparison).toMatchObject({ verdict: "regressed", suites: [{ looks: { looks: 3 } }] });
  });

  it.each([
    [["--shard", "1/2"], "--until-decided cannot be combined with --shard"],
    [["--baseline", "off"], "--until-decided cannot be combined with --baseline off"],
    [["--confirm"], "--confirm cannot be combined with --until-decided"],
  ])("cannot be combined with %s", async (args, message) => {
    const { cwd } = project("2");
    const ended = await runCli(["test", "--until-decided", ...args], { cwd, env });
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain(message);
  });
});
