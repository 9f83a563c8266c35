import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { startCli } from "./support/start-cli.js";
import {
  sendJson,
  startServer,
  type Handler,
  type LoopbackServer,
} from "../packages/core/src/__fixtures__/start-server.js";
import { until } from "./support/until.js";

interface Report {
  exitCode: number;
  reasons: string[];
  run: { id: string; resumed?: number; seed: number };
  summary: Record<string, number> & { requests: number; costUsd: number | null };
  suites: { tests: { id: string; status: string; assertions: { message: string }[] }[] }[];
}

function reply(content: string): unknown {
  return {
    id: "reply",
    model: "m",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
    usage: { prompt_tokens: 1_000, completion_tokens: 100 },
  };
}

async function startModel(handler: Handler): Promise<LoopbackServer> {
  const server = await startServer(handler);
  onTestFinished(() => server.close());
  return server;
}

interface Written {
  prompt?: string;
  expected?: string;
  tests?: string;
  concurrency?: number;
}

function config(server: LoopbackServer, { prompt = "Be brief.", expected = "fine", tests, concurrency = 1 }: Written) {
  const both = `
      - { name: one, input: first, assert: [{ type: contains, value: ${expected} }] }
      - { name: two, input: second, assert: [{ type: contains, value: ${expected} }] }`;
  return `version: 1
defaults: { concurrency: ${concurrency} }
retry: disabled
providers: { local: { type: openai, base_url: "${server.url}/v1" } }
models: [{ id: m, provider: local, model: m, pricing: { input: 1, output: 10 } }]
suites:
  - name: s
    system_prompt: ${prompt}
    tests:${tests ?? both}
`;
}

async function report(cwd: string, args: readonly string[]): Promise<Report> {
  const ran = await runCli(["test", ...args, "--reporter", "json"], { cwd });
  expect(ran.stdout, ran.stderr).not.toBe("");
  return JSON.parse(ran.stdout) as Report;
}

const change = (cwd: string, text: string): Promise<void> => writeFile(join(cwd, "kindlm.yaml"), text);

describe("--resume", () => {
  it("runs what was errored, reuses the rest, and carries the totals over", async () => {
    let isBroken = true;
    const server = await startModel(({ body }, response) => {
      if (isBroken && body.includes("second")) return sendJson(response, 500, { error: { message: "no" } });
      return sendJson(response, 200, reply("fine"));
    });
    const cwd = makeProject({ "kindlm.yaml": config(server, {}) });
    const first = await report(cwd, []);
    expect(first.summary).toMatchObject({ passed: 1, errored: 1, requests: 2 });
    isBroken = false;
    const second = await report(cwd, ["--resume"]);
    expect(second.run).toMatchObject({ id: first.run.id, resumed: 1 });
    expect(second.summary).toMatchObject({ passed: 2, errored: 0, requests: 3, costUsd: 0.004 });
    expect(server.requests).toHaveLength(3);
    expect(await report(cwd, ["--resume"])).toMatchObject({
      exitCode: 0,
      run: { resumed: 2 },
      summary: { requests: 3 },
    });
    expect(server.requests).toHaveLength(3);
  });

  it("does not give an agent another try that failed by its own doing", async () => {
    const server = await startModel((_, response) => sendJson(response, 200, reply("")));
    const cwd = makeProject({ "kindlm.yaml": config(server, {}) });
    expect((await report(cwd, [])).summary).toMatchObject({ errored: 2 });
    const asked = server.requests.length;
    expect((await report(cwd, ["--resume"])).summary).toMatchObject({ errored: 2 });
    expect(server.requests).toHaveLength(asked);
  });

  it("runs again what a changed prompt could change, and nothing else", async () => {
    const server = await startModel((_, response) => sendJson(response, 200, reply("fine")));
    const cwd = makeProject({ "kindlm.yaml": config(server, {}) });
    await report(cwd, []);
    await change(cwd, config(server, { concurrency: 7 }));
    await report(cwd, ["--resume", "--concurrency", "3"]);
    expect(server.requests).toHaveLength(2);
    await change(cwd, config(server, { prompt: "Be kind." }));
    expect((await report(cwd, ["--resume"])).summary).toMatchObject({ passed: 2, requests: 4 });
    expect(server.requests).toHaveLength(4);
  });

  it("scores a stored conversation again where only the assertions changed, and asks no model", async () => {
    const server = await startModel((_, response) => sendJson(response, 200, reply("fine")));
    const cwd = makeProject({ "kindlm.yaml": config(server, {}) });
    await report(cwd, []);
    await change(cwd, config(server, { expected: "better" }));
    const scored = await report(cwd, ["--resume"]);
    expect(scored.summary).toMatchObject({ failed: 2, requests: 2, costUsd: 0.004 });
    expect(scored.suites[0]?.tests[0]?.assertions[0]?.message).toContain("better");
    // A conversation that was scored twice was paid for once.
    expect((await report(cwd, ["--resume"])).summary).toMatchObject({ failed: 2, requests: 2, costUsd: 0.004 });
    expect(server.requests).toHaveLength(2);
  });

  it("asks the model again rather than judge a conversation that was masked", async () => {
    const server = await startModel((_, response) => sendJson(response, 200, reply("Write to ann@example.com")));
    const pii = (extra: string): string => `\n      - { name: one, input: first, assert: [{ type: no_pii }${extra}] }`;
    const cwd = makeProject({ "kindlm.yaml": config(server, { tests: pii("") }) });
    expect((await report(cwd, [])).summary).toMatchObject({ failed: 1 });
    await change(cwd, config(server, { tests: pii(", { type: contains, value: Write }") }));
    expect((await report(cwd, ["--resume"])).summary).toMatchObject({ failed: 1, requests: 2 });
  });

  it("goes on with the options that the run was begun with", async () => {
    const server = await startModel((_, response) => sendJson(response, 200, reply("fine")));
    const cwd = makeProject({ "kindlm.yaml": config(server, {}) });
    await report(cwd, ["--runs", "3", "-t", "one", "--seed", "9"]);
    const resumed = await report(cwd, ["--resume"]);
    expect(resumed).toMatchObject({ run: { seed: 9 }, summary: { total: 1, passed: 1, requests: 3 } });
    expect((await report(cwd, ["--resume", "--runs", "4"])).summary).toMatchObject({ total: 1, requests: 4 });
    const refused = await runCli(["test", "--resume", "--seed", "10"], { cwd });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("started with the seed 9");
    expect(server.requests).toHaveLength(4);
  });

  it("keeps the switches of the start: a run without plugins is resumed without them", async () => {
    const cwd = makeProject({
      "kindlm.yaml": `version: 1
plugins: [./plugin.mjs]
models: [{ id: m, provider: scripted, script: { otherwise: { text: fine } } }]
suites: [{ name: s, tests: [{ name: t, input: hi, assert: [{ type: contains, value: fine }] }] }]
`,
      "plugin.mjs": `import { writeFileSync } from "node:fs";
export default { name: "p", runEnded: () => writeFileSync(new URL("loaded", import.meta.url), "") };`,
    });
    const isLoadedBy = async (...args: readonly string[]): Promise<boolean> => {
      rmSync(join(cwd, "loaded"), { force: true });
      expect(await runCli(["test", ...args], { cwd })).toMatchObject({ code: 0 });
      return existsSync(join(cwd, "loaded"));
    };
    expect(await isLoadedBy()).toBe(true);
    expect(await isLoadedBy("--resume")).toBe(true);
    expect(await isLoadedBy("--no-plugins")).toBe(false);
    expect(await isLoadedBy("--resume")).toBe(false);
  });

  it("counts all cases of the run, whichever of them it is asked for now", async () => {
    let isBroken = true;
    const server = await startModel(({ body }, response) => {
      if (isBroken && body.includes("second")) return sendJson(response, 500, { error: { message: "no" } });
      return sendJson(response, 200, reply(body.includes("third") ? "bad" : "fine"));
    });
    const tests = ["first", "second", "third"].map(
      (input) => `\n      - { name: ${input}, input: ${input}, assert: [{ type: contains, value: fine }] }`,
    );
    const cwd = makeProject({ "kindlm.yaml": config(server, { tests: tests.join("") }) });
    await report(cwd, []);
    const red = { exitCode: 1, summary: { total: 3, passed: 1, failed: 1, errored: 1 } };
    expect(await report(cwd, ["--resume", "-t", "first"])).toMatchObject(red);
    expect(server.requests).toHaveLength(3);
    const stored = await runCli(["report", "last", "--reporter", "json"], { cwd });
    expect(JSON.parse(stored.stdout)).toMatchObject(red);
    isBroken = false;
    const second = await report(cwd, ["--resume", "-t", "second"]);
    expect(second).toMatchObject({ exitCode: 1, summary: { total: 3, passed: 2, failed: 1, errored: 0, requests: 4 } });
    expect(server.requests).toHaveLength(4);
  });

  it("is not green before all cases of the run have run", async () => {
    const server = await startModel((_, response) => sendJson(response, 200, reply("bad")));
    const cwd = makeProject({ "kindlm.yaml": config(server, { expected: "bad" }) });
    const first = await runCli(["test", "-t", "one"], { cwd });
    expect(first.code, first.stderr).toBe(0);
    // The run gets a second case, and never loses it again.
    expect(await report(cwd, ["--resume", "-t", "two"])).toMatchObject({
      exitCode: 0,
      summary: { total: 2, passed: 2 },
    });
    expect(await report(cwd, ["--resume"])).toMatchObject({ exitCode: 0, summary: { total: 2 } });
    await change(cwd, config(server, { expected: "bad", prompt: "Be kind." }));
    const part = await report(cwd, ["--resume", "-t", "one"]);
    expect(part).toMatchObject({ exitCode: 1, summary: { total: 2, passed: 1, skipped: 1 } });
    expect(part.reasons.join()).toContain("the filters exclude cases");
    expect(await report(cwd, ["--resume"])).toMatchObject({ exitCode: 0, summary: { total: 2, passed: 2 } });
  });

  it.each([
    ["has no journal yet", (journal: string) => rmSync(journal)],
    ["has an empty journal", (journal: string) => writeFileSync(journal, "")],
    ["has half of its first line", (journal: string) => writeFileSync(journal, readFileSync(journal).subarray(0, 40))],
  ])("begins a run that was killed before it did: it %s", async (_name, kill) => {
    const server = await startModel((_, response) => sendJson(response, 200, reply("fine")));
    const cwd = makeProject({ "kindlm.yaml": config(server, {}) });
    const { run } = await report(cwd, []);
    const folder = join(cwd, ".kindlm", "runs", run.id);
    rmSync(join(folder, "run.json"));
    kill(join(folder, "journal.jsonl"));
    expect((await runCli(["runs"], { cwd })).stdout).toContain("unfinished");
    const ran = await runCli(["test", "--resume", "-t", "one"], { cwd });
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout + ran.stderr).toContain(
      `Run ${run.id} stopped before it started, so it starts from the beginning`,
    );
    expect(await report(cwd, ["--resume"])).toMatchObject({ run: { id: run.id, resumed: 1 }, summary: { total: 1 } });
    expect(server.requests).toHaveLength(3);
  });

  it("takes the run that it is told, by the beginning of its id", async () => {
    const server = await startModel((_, response) => sendJson(response, 200, reply("fine")));
    const cwd = makeProject({ "kindlm.yaml": config(server, {}) });
    const first = await report(cwd, []);
    await report(cwd, []);
    expect((await report(cwd, ["--run", first.run.id.slice(0, -2)])).run.id).toBe(first.run.id);
    const missing = await runCli(["test", "--run", "20200101-000000-000000"], { cwd });
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    expect(missing.stderr).toMatch(/^✗ Run "20200101-000000-000000" not found/);
    expect(server.requests).toHaveLength(4);
  });

  it("says so when there is nothing to go on with", async () => {
    const server = await startModel((_, response) => sendJson(response, 200, reply("fine")));
    const cwd = makeProject({ "kindlm.yaml": config(server, {}) });
    const ran = await runCli(["test", "--resume"], { cwd });
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toMatch(/^✗ No runs yet/);
    for (const args of [
      ["--resume", "--rerun-failed"],
      ["--resume", "--no-journal"],
    ]) {
      expect((await runCli(["test", ...args], { cwd })).stderr).toMatch(/^✗ --resume/);
    }
    expect(server.requests).toEqual([]);
  });

  it("is refused while another process is at work on the run", async () => {
    const server = await startModel(() => undefined);
    const cwd = makeProject({ "kindlm.yaml": config(server, {}) });
    const first = startCli(["test"], { cwd });
    const runs = join(cwd, ".kindlm", "runs");
    const isLocked = (): boolean =>
      existsSync(runs) && readdirSync(runs).some((name) => existsSync(join(runs, name, "lock")));
    await until(() => server.requests.length > 0 && isLocked());
    const second = await runCli(["test", "--resume"], { cwd });
    expect(second).toMatchObject({ code: 1, stdout: "" });
    expect(second.stderr).toMatch(new RegExp(`^✗ Process ${first.child.pid} on .* is working on this run`));
    // What has not come to its end has no failures to run again.
    const rerun = await runCli(["test", "--rerun-failed"], { cwd });
    expect(rerun).toMatchObject({ code: 1, stdout: "" });
    expect(rerun.stderr).toMatch(/^✗ The run \S+ did not finish/);
    expect(server.requests).toHaveLength(1);
    first.child.kill("SIGKILL");
    await first.finished;
  });

  it("keeps what was finished before Ctrl-C", async () => {
    let isHanging = true;
    const server = await startModel(({ body }, response) => {
      if (!isHanging || body.includes("first")) sendJson(response, 200, reply("fine"));
    });
    const cwd = makeProject({ "kindlm.yaml": config(server, {}) });
    const interrupt = new AbortController();
    const ran = runCli(["test"], { cwd, interrupt: interrupt.signal });
    await until(() => server.requests.length === 2);
    interrupt.abort();
    expect((await ran).stdout).toContain("1 passed, 0 failed, 1 errored");
    isHanging = false;
    expect((await report(cwd, ["--resume"])).summary).toMatchObject({ passed: 2, errored: 0 });
    expect(server.requests.map(({ body }) => body.includes("first"))).toEqual([true, false, false]);
  });
});

describe("--rerun-failed", () => {
  it("runs the cases that failed or errored, as a run of its own", async () => {
    let answer = "bad";
    const server = await startModel(({ body }, response) =>
      sendJson(response, 200, reply(body.includes("second") ? answer : "fine")),
    );
    const cwd = makeProject({ "kindlm.yaml": config(server, {}) });
    const first = await report(cwd, []);
    expect(first.summary).toMatchObject({ passed: 1, failed: 1 });
    const listed = await runCli(["test", "--rerun-failed", "--list"], { cwd });
    expect(listed.stdout).toBe("s/two@m\n");
    answer = "fine";
    const again = await report(cwd, ["--rerun-failed"]);
    expect(again.summary).toMatchObject({ total: 1, passed: 1 });
    expect(again.run.id).not.toBe(first.run.id);
    expect(server.requests).toHaveLength(3);
    const nothing = await runCli(["test", "--rerun-failed"], { cwd });
    expect(nothing).toMatchObject({ code: 1, stdout: "" });
    expect(nothing.stderr).toContain("Nothing to rerun");
    expect((await report(cwd, ["--rerun-failed", "--run", first.run.id])).summary).toMatchObject({ total: 1 });
    const passed = await runCli(["test", "--rerun-failed", "--run", again.run.id], { cwd });
    expect(passed.stderr).toContain(`Nothing to rerun: every case of run ${again.run.id} passed or was skipped`);
    const unknown = await runCli(["test", "--rerun-failed", "--run", "20200101-000000-000000"], { cwd });
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect(unknown.stderr).toMatch(/^✗ Run "20200101-000000-000000" not found/);
    expect(server.requests).toHaveLength(4);
  });
});

describe("--no-journal", () => {
  it("leaves nothing behind", async () => {
    const server = await startModel((_, response) => sendJson(response, 200, reply("fine")));
    const cwd = makeProject({ "kindlm.yaml": config(server, {}) });
    expect((await report(cwd, ["--no-journal"])).summary).toMatchObject({ passed: 2 });
    expect(readdirSync(cwd)).toEqual(["kindlm.yaml"]);
  });
});

describe("the journal", () => {
  it("is taken up where its last line was torn off, and refused where it is damaged before", async () => {
    const server = await startModel((_, response) => sendJson(response, 200, reply("fine")));
    const cwd = makeProject({ "kindlm.yaml": config(server, {}) });
    const { run } = await report(cwd, []);
    const journal = join(cwd, ".kindlm", "runs", run.id, "journal.jsonl");
    const text = readFileSync(journal, "utf8");
    await writeFile(journal, text.slice(0, -20));
    expect((await report(cwd, ["--resume"])).summary).toMatchObject({ passed: 2, requests: 2 });
    expect(server.requests).toHaveLength(3);
    const lines = readFileSync(journal, "utf8").split("\n");
    await writeFile(journal, lines.with(1, `{"kind":${lines[1]?.slice(0, 50)}`).join("\n"));
    const refused = await runCli(["test", "--resume"], { cwd });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^✗ .*journal\.jsonl is damaged at line 2/);
    expect(server.requests).toHaveLength(3);
  });
});
