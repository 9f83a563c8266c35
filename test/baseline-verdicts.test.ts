import { describe, expect, it } from "vitest";
import { report, rewrite, scriptText, type ComparisonReport } from "./support/baseline-project.js";
import { secretKey, serve } from "./support/cassette-project.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { runCli } from "./support/run-cli.js";
import { sendJson } from "../packages/core/src/__fixtures__/start-server.js";

const count = 20;
const rows = Array.from({ length: count }, (_, index) => `{"id":"q${index + 1}"}\n`).join("");
const suite = (prompt: string): string => `suites:
  - name: s
    system_prompt: ${prompt}
    tests:
      - { name: t, dataset: rows.jsonl, input: "{{id}}", assert: [{ type: contains, value: hello }] }
`;

/** A model on a loopback server that fails the first question once its prompt is another. */
async function liveProject() {
  const server = await serve(({ body }, response) => {
    const isWorse = body.includes("Be brief") && body.includes('"q1"');
    sendJson(response, 200, chatCompletion({ text: isWorse ? "no" : "hello" }));
  });
  const top = `version: 1
providers: { local: { type: openai, base_url: "${server.url}/v1", api_key_env: LOCAL_KEY } }
models: [{ id: m, provider: local, model: m-1 }]
`;
  const cwd = makeProject({ "kindlm.yaml": top + suite("Be kind"), "rows.jsonl": rows });
  return { cwd, change: () => rewrite(cwd, "kindlm.yaml", top + suite("Be brief")) };
}

const env = { LOCAL_KEY: secretKey };
const test = async (cwd: string, ...args: readonly string[]): Promise<ComparisonReport> => {
  const { stdout } = await runCli(["test", "--reporter", "json", ...args], { cwd, env });
  return JSON.parse(stdout) as ComparisonReport;
};
const set = async (cwd: string): Promise<void> =>
  expect(await runCli(["baseline", "set"], { cwd, env })).toMatchObject({ code: 0 });

describe("a prompt change that flips one of twenty single trials", { timeout: 60_000 }, () => {
  it("decides nothing on a live model", async () => {
    const { cwd, change } = await liveProject();
    await test(cwd);
    await set(cwd);
    change();
    expect((await test(cwd)).comparison).toMatchObject({
      verdict: "inconclusive",
      suites: [
        { verdict: "inconclusive", cases: count, noisyCases: count, p: 0.5, agentChanges: ["prompt"], worse: [] },
      ],
    });
    const shown = await runCli(["test"], { cwd, env });
    expect(shown.stdout).toContain("? s   inconclusive");
    expect(shown.stdout).toMatch(/would decide\s+it\n/);
    expect(await runCli(["baseline", "compare"], { cwd, env })).toMatchObject({ code: 0 });
  });

  it("is a regression where recordings answer", async () => {
    const { cwd, change } = await liveProject();
    await test(cwd, "--cassette", "record");
    await test(cwd, "--cassette", "replay");
    await set(cwd);
    change();
    await test(cwd, "--cassette", "record");
    expect((await test(cwd, "--cassette", "replay")).comparison).toMatchObject({
      verdict: "regressed",
      suites: [{ noisyCases: 0, regressedOutright: ["s/t[q1]@m"], worse: [{}], agentChanges: ["prompt"] }],
    });
  });

  it("is a regression on a scripted model", async () => {
    const config = (prompt: string): string =>
      `version: 1\nmodels: [{ id: m, provider: scripted, script: script.yaml }]\n${suite(prompt)}`;
    const cwd = makeProject({ "kindlm.yaml": config("Be kind"), "rows.jsonl": rows, "script.yaml": scriptText({}) });
    await report(cwd);
    await set(cwd);
    rewrite(cwd, "kindlm.yaml", config("Be brief"));
    rewrite(cwd, "script.yaml", scriptText({ q1: { text: "no" } }));
    expect((await report(cwd)).comparison).toMatchObject({
      verdict: "regressed",
      suites: [{ regressedOutright: ["s/t[q1]@m"], agentChanges: ["prompt", "script"] }],
    });
  });
});

describe("shards", { timeout: 60_000 }, () => {
  it("are compared once they are merged", async () => {
    const cwd = makeProject({
      "kindlm.yaml": `version: 1\nmodels: [{ id: m, provider: scripted, script: script.yaml }]\n${suite("Be kind")}`,
      "rows.jsonl": rows,
      "script.yaml": scriptText({}),
    });
    await report(cwd);
    await set(cwd);
    rewrite(cwd, "script.yaml", scriptText({ q1: { text: "no" } }));
    const parts = [await report(cwd, "--shard", "1/2"), await report(cwd, "--shard", "2/2")];
    expect(parts.map(({ comparison }) => comparison)).toEqual([undefined, undefined]);
    const listed = JSON.parse((await runCli(["runs", "--json"], { cwd })).stdout) as { id: string }[];
    const ids = listed.slice(0, 2).map(({ id }) => id);
    const merged = await runCli(["merge", ...ids, "--reporter", "json"], { cwd });
    expect((JSON.parse(merged.stdout) as ComparisonReport).comparison).toMatchObject({
      verdict: "regressed",
      suites: [{ regressedOutright: ["s/t[q1]@m"], removed: [], agentChanges: ["script"] }],
    });
    expect(await runCli(["baseline", "set"], { cwd })).toMatchObject({ code: 0 });
    expect((await report(cwd)).comparison).toMatchObject({ verdict: "ok" });
  });
});
