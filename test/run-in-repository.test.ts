import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { sendJson, startServer } from "../packages/core/src/__fixtures__/start-server.js";
import { runCli } from "./support/run-cli.js";

it("says which commit was tested, whether a run is over at once or waits for answers", async () => {
  const server = await startServer((_request, response) => {
    setTimeout(() => sendJson(response, 200, chatCompletion({ text: "hello" })), 60);
  });
  onTestFinished(() => server.close());
  const test = "tests: [{ name: t, input: hi, assert: [{ type: contains, value: hello }] }]";
  const cwd = makeProject({
    ".gitignore": ".kindlm\n*.json\n",
    "offline.yaml": `version: 1
models: [{ id: m, provider: scripted, script: { otherwise: { text: hello } } }]
suites: [{ name: s, ${test} }]
`,
    "online.yaml": `version: 1
providers: { local: { type: openai, base_url: "${server.url}" } }
models: [{ id: m, provider: local, model: m }]
suites: [{ name: s, ${test} }]
`,
  });
  const own = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  const git = (...args: string[]): string => execFileSync("git", [...own, ...args], { cwd, encoding: "utf8" }).trim();
  git("init", "-qb", "main");
  git("add", ".");
  git("commit", "-qm", "configs");
  const env = { PATH: process.env["PATH"] ?? "", OPENAI_API_KEY: "key" };
  const gitOf = async (config: string): Promise<unknown> => {
    const ran = await runCli(["test", "-c", config, "--reporter", "json=report.json"], { cwd, env });
    expect(ran.code).toBe(0);
    const report = JSON.parse(readFileSync(join(cwd, "report.json"), "utf8")) as { run: { git: unknown } };
    return report.run.git;
  };
  const commit = git("rev-parse", "HEAD");
  expect(await gitOf("offline.yaml")).toEqual({ commit, branch: "main", dirty: false });
  appendFileSync(join(cwd, "offline.yaml"), "# changed\n");
  expect(await gitOf("online.yaml")).toEqual({ commit, branch: "main", dirty: true });
});
