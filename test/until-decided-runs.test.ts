import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { secretKey } from "./support/cassette-project.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { sendJson, startServer, type LoopbackServer } from "../packages/core/src/__fixtures__/start-server.js";
import { readHtmlReport } from "./support/read-html-report.js";
import { runCli } from "./support/run-cli.js";
import { startCli } from "./support/start-cli.js";

// Further trials together with what else a run can be: recorded, of several models, of tests that may fail, killed, split.

const env = { LOCAL_KEY: secretKey };
const rows = 12;

let server: LoopbackServer;
/** Whether a question of a model is answered well. */
let isGood: (model: string, question: number) => boolean = () => true;
/** Requests by model and question. */
let received = new Map<string, number>();
let onRequest: (count: number) => void = () => {};
let blessed: string;

interface Settings {
  runs?: string;
  models?: string;
  more?: string;
}

const config = ({ runs = "{ min: 2, max: 8 }", models = "[m]", more = "" }: Settings): string => `version: 1
retry: disabled
circuit_breaker: false
exit_on: gates
gates: { regressions: 0, errored: 0 }
providers: { local: { type: openai, base_url: "${server.url}/v1", api_key_env: LOCAL_KEY } }
models:
  - { id: m, provider: local, model: m-1 }
  - { id: other, provider: local, model: m-2 }
suites:
  - name: s
    models: ${models}
    runs: ${runs}
    tests:
      - { name: t, dataset: rows.jsonl, input: "{{id}}", assert: [{ type: contains, value: hello }] }
${more}`;

beforeAll(async () => {
  let count = 0;
  server = await startServer(({ body }, response) => {
    const { model } = JSON.parse(body) as { model: string };
    const question = Number(/"q(\d+)"/.exec(body)?.[1] ?? 0);
    const key = `${model} ${question}`;
    received.set(key, (received.get(key) ?? 0) + 1);
    count += 1;
    onRequest(count);
    sendJson(response, 200, chatCompletion({ text: isGood(model, question) ? "hello" : "no" }));
  });
  blessed = makeProject({
    "kindlm.yaml": config({ runs: "8", models: "[m, other]", more: known }),
    "rows.jsonl": Array.from({ length: rows }, (_, index) => `{"id":"q${index + 1}"}\n`).join(""),
  });
  expect(await runCli(["test"], { cwd: blessed, env })).toMatchObject({ code: 0 });
  expect(await runCli(["baseline", "set"], { cwd: blessed, env })).toMatchObject({ code: 0 });
});

afterAll(() => server.close());

/** A test that is known to be broken. */
const known = `      - { name: known, allow_failure: "#7", input: q99, assert: [{ type: contains, value: hello }] }\n`;

function project(settings: Settings = {}): string {
  const cwd = makeProject({});
  cpSync(blessed, cwd, { recursive: true });
  writeFileSync(join(cwd, "kindlm.yaml"), config(settings));
  return cwd;
}

/** Six of the twelve questions are no longer answered: the first look of two trials each does not show it. */
const fell: typeof isGood = (_model, question) => question > 6;

interface Compared {
  comparison: { verdict: string; suites: { looks?: { looks: number; trials: number } }[] };
}

async function run(cwd: string, good: typeof isGood, ...args: readonly string[]) {
  isGood = good;
  received = new Map();
  const ran = await runCli(["test", "--reporter", "json=out.json", ...args], { cwd, env });
  const report = JSON.parse(readFileSync(join(cwd, "out.json"), "utf8")) as Compared;
  return { ...ran, report, asked: [...received].map(([key, count]) => `${key}: ${count}`) };
}

const asked = (model: string, trials: number): string[] =>
  Array.from({ length: rows }, (_, index) => `${model} ${index + 1}: ${trials}`);

it("records further trials, and replays them until nothing is left to draw", async () => {
  const cwd = project();
  const recorded = await run(cwd, fell, "--cassette", "record");
  expect(recorded.asked.toSorted()).toEqual(asked("m-1", 8).toSorted());
  expect(recorded.report.comparison).toMatchObject({ verdict: "regressed", suites: [{ looks: { looks: 3 } }] });
  const replayed = await run(cwd, fell, "--cassette", "replay");
  // A recording has no noise: a case that passed and no longer does is a regression without a further trial.
  expect(replayed.asked).toEqual([]);
  expect(replayed.report.comparison).toMatchObject({ verdict: "regressed" });
  expect(replayed.report.comparison.suites[0]?.looks).toBeUndefined();
});

it("counts the cases of all models of an open suite, and gives all of them equally many", async () => {
  const cwd = project({ models: "[m, other]" });
  const { report, asked: requests } = await run(cwd, (model, question) => model === "m-2" || question > 5);
  const counts = new Set(requests.map((one) => one.replace(/.*: /, "")));
  expect([requests.length, counts.size]).toEqual([2 * rows, 1]);
  expect(report.comparison.suites[0]?.looks?.looks).toBeGreaterThan(1);
});

it("gives none to a test whose failure is allowed", async () => {
  const cwd = project({ more: known });
  const { report, asked: requests } = await run(cwd, fell);
  expect(report.comparison).toMatchObject({ verdict: "regressed", suites: [{ looks: { trials: 96 } }] });
  expect(requests.toSorted()).toEqual([...asked("m-1", 8), "m-1 99: 2"].toSorted());
});

it("continues in the middle of a round after it was killed, and comes to the same verdict", async () => {
  const cwd = project();
  isGood = fell;
  received = new Map();
  const running = startCli(["test", "--concurrency", "1"], { cwd, env });
  const killed = new Promise<void>((resolve) => {
    onRequest = () => {
      const sum = [...received.values()].reduce((all, one) => all + one, 0);
      // In the third round: 24 trials, 24 further ones, and a few of the last 48.
      if (sum === 60) resolve(void running.child.kill("SIGKILL"));
    };
  });
  await killed;
  onRequest = () => {};
  expect(await running.finished).toMatchObject({ signal: "SIGKILL" });
  const before = [...received.values()].reduce((all, one) => all + one, 0);
  const rest = await run(cwd, fell, "--resume");
  const after = [...received.values()].reduce((all, one) => all + one, 0);
  expect(rest.report.comparison).toMatchObject({ verdict: "regressed", suites: [{ looks: { looks: 3, trials: 96 } }] });
  // Nothing of the rounds that were over is asked again, and of the last one only what was not on the disk.
  expect([before >= 60, after >= 8 * rows - before, after <= 4 * rows]).toEqual([true, true, true]);
});

it("runs none in shards, and tests the trials of the merge at the whole level, since they are all that there are", async () => {
  const cwd = project();
  for (const shard of ["1/2", "2/2"]) await run(cwd, fell, "--shard", shard);
  await runCli(["merge", ".kindlm/runs", "--reporter", "json=merged.json"], { cwd, env });
  const { comparison } = JSON.parse(readFileSync(join(cwd, "merged.json"), "utf8")) as Compared;
  // Six of twelve cases fell: 1 ÷ 2⁶. As the first of three looks, that would not be enough.
  expect(comparison).toMatchObject({ verdict: "regressed", suites: [{ adjustedP: 1 / 64 }] });
  expect(comparison.suites[0]?.looks).toBeUndefined();
});

it("says in every report for people what the comparison took", async () => {
  const cwd = project();
  await run(cwd, fell);
  const shown = /96 trials, look 3 of 3: \d+ more than a fixed number that finds as much/;
  for (const reporter of ["pretty", "markdown", "pr-comment"]) {
    expect((await runCli(["report", "--reporter", reporter], { cwd, env })).stdout, reporter).toMatch(shown);
  }
  await runCli(["report", "--reporter", "html=report.html"], { cwd, env });
  // The page makes the same words of these figures.
  const { index } = readHtmlReport(readFileSync(join(cwd, "report.html"), "utf8"));
  expect(JSON.stringify(index)).toMatch(
    /"looks":\{"looks":3,"maxLooks":3,"trials":96,"maxTrials":96,"fixedTrials":\d+\}/,
  );
});
