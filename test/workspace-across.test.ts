import { rmSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion, type Answer } from "../packages/core/src/__fixtures__/provider-replies.js";
import { sendJson, startServer, type LoopbackServer } from "../packages/core/src/__fixtures__/start-server.js";
import { runCli, type InProcessOptions } from "./support/run-cli.js";
import { runInWorkspace, workspaceConfig, type ReportedTrial, type ScriptedCall } from "./support/workspace-run.js";

/** What works elsewhere works in a workspace too: one test for each. */
const write: ScriptedCall = { tool: "fs_write", args: { path: "made.txt", content: "made\n" } };
const made = { type: "file", path: "made.txt", equals: "made\n" };

interface Message {
  role: string;
  content: string;
}

/** A model that writes a file once, and then says "Done". `onAsked` has the user's message of each request. */
async function startModel(
  onAsked: (input: string) => void = () => undefined,
  calls: readonly ScriptedCall[] = [write],
): Promise<LoopbackServer> {
  const server = await startServer(({ json }, response) => {
    const { messages } = json as { messages: readonly Message[] };
    const hasCalled = messages.some(({ role }) => role === "tool");
    if (hasCalled) onAsked(messages.find(({ role }) => role === "user")?.content ?? "");
    const answer: Answer = hasCalled
      ? { text: "Done" }
      : { toolCalls: calls.map((call, at) => ({ id: `c${at}`, ...call })) };
    sendJson(response, 200, chatCompletion(answer));
  });
  onTestFinished(() => server.close());
  return server;
}

const config = (url: string, tests: readonly object[]): string =>
  JSON.stringify({
    version: 1,
    providers: { local: { type: "openai", base_url: `${url}/v1`, api_key_env: "LOCAL_KEY" } },
    models: [{ id: "m", provider: "local", model: "m", pricing: { input: 1, output: 1 } }],
    suites: [{ name: "s", workspace: { files: { "a.txt": "a" } }, tools: ["fs_*", "bash_run"], tests }],
  });

interface Ran {
  code: number | null;
  stderr: string;
  trials: readonly (ReportedTrial | undefined)[];
}

async function run(cwd: string, args: readonly string[], options: Partial<InProcessOptions> = {}): Promise<Ran> {
  const env = { LOCAL_KEY: "a-key-of-the-test" };
  const ran = await runCli(["test", "--reporter", "json", ...args], { cwd, env, ...options });
  const report = JSON.parse(ran.stdout || '{"suites":[]}') as { suites: { tests: { trials: ReportedTrial[] }[] }[] };
  const trials = report.suites.flatMap(({ tests }) => tests.map((test) => test.trials[0]));
  return { code: ran.code, stderr: ran.stderr, trials };
}

it("resume: an interrupted trial starts with a fresh folder, and a finished one keeps its changes", async () => {
  const interrupt = new AbortController();
  const asked: string[] = [];
  const server = await startModel((input) => {
    asked.push(input);
    if (asked.length === 2) interrupt.abort();
  });
  const tests = ["one", "two"].map((name) => ({ name, input: name, assert: [made] }));
  const cwd = makeProject({ "kindlm.yaml": config(server.url, tests) });
  const first = await run(cwd, ["--concurrency", "1"], { interrupt: interrupt.signal });
  expect(first.code).toBe(1);
  const resumed = await run(cwd, ["--resume"]);
  expect(asked).toEqual(["one", "two", "two"]);
  // In the folder of before, the file would be there, and must be read first.
  expect(resumed.trials.map((trial) => trial?.toolCalls)).toMatchObject([
    [{ result: { ok: true } }],
    [{ result: { ok: true } }],
  ]);
  const changes = [{ path: "made.txt", change: "added", addedLines: 1 }];
  expect(resumed.trials).toMatchObject(["one", "two"].map(() => ({ status: "passed", workspace: { changes } })));
});

it("cassettes: a replay runs the tools again, in a folder of its own", async () => {
  // A command prints the path of the folder, which is another one in each run.
  const shell: ScriptedCall = { tool: "bash_run", args: { cmd: "pwd; echo $HOME >&2" } };
  const server = await startModel(undefined, [write, shell]);
  const cwd = makeProject({ "kindlm.yaml": config(server.url, [{ name: "one", input: "one", assert: [made] }]) });
  const recorded = await run(cwd, ["--cassette", "record"]);
  await server.close();
  rmSync(path.join(cwd, ".kindlm", "runs"), { recursive: true });
  const replayed = await run(cwd, ["--cassette", "replay"], { env: {} });
  expect(replayed.stderr).not.toContain("made.txt");
  for (const { code, trials } of [recorded, replayed]) {
    expect(code).toBe(0);
    expect(trials).toMatchObject([{ status: "passed", workspace: { changes: [{ path: "made.txt" }] } }]);
  }
  expect(server.requests).toHaveLength(2);
});

it("faults: a tool that fails leaves the files alone, one that runs twice changes them once", async () => {
  const { trial } = await runInWorkspace({
    calls: [write, write, { tool: "fs_edit", args: { path: "made.txt", old: "made", new: "changed" } }],
    suite: {
      faults: [
        { tool: "fs_write", kind: "error", call: 1 },
        { tool: "fs_edit", kind: "duplicate" },
      ],
    },
    assert: [
      { type: "recovers_from", tool: "fs_write" },
      { type: "file", path: "made.txt", equals: "changed\n" },
    ],
  });
  const [first, second, third] = trial.toolCalls;
  expect(first?.error?.message).toBe("service unavailable");
  expect(second?.result).toMatchObject({ ok: true });
  // The second run no longer finds the text.
  expect(third).toMatchObject({ error: { message: expect.stringContaining("does not occur") as string } });
  expect(trial.status).toBe("passed");
});

it("judges: they read the calls of the tools, and their verdict decides", async () => {
  const script = {
    rules: [{ when: { user: { $contains: "made.txt" } }, reply: { json: { reasoning: "It wrote it", score: 1 } } }],
    otherwise: { json: { reasoning: "It wrote nothing", score: 0 } },
  };
  const assert = [{ type: "judge", model: "critic", criteria: "Writes a file" }, made];
  const written = JSON.parse(workspaceConfig({ calls: [write], assert, suite: { models: ["agent"] } })) as {
    models: object[];
  };
  written.models.push({ id: "critic", provider: "scripted", script });
  const { trials } = await run(makeProject({ "kindlm.yaml": JSON.stringify(written) }), []);
  expect(trials[0]?.assertions).toMatchObject([
    { type: "file", pass: true },
    { type: "judge", pass: true },
  ]);
});
