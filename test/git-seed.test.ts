import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { workspaceConfig, type ReportedTrial, type ScriptedCall } from "./support/workspace-run.js";

let cwd = "";
let first = "";
const git = (...args: readonly string[]): string => {
  const own = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main"];
  const env = { PATH: process.env["PATH"], HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", [...own, ...args], { cwd: path.join(cwd, "repository"), env, encoding: "utf8" }).trim();
};

/** A repository with two commits, a hook, and a change that is not committed. */
beforeAll(() => {
  cwd = makeProject({ "repository/src/a.txt": "first\n" });
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "-m", "The first one");
  first = git("rev-parse", "HEAD");
  writeFileSync(path.join(cwd, "repository", "src", "a.txt"), "second\n");
  git("commit", "--quiet", "-am", "The second one");
  writeFileSync(path.join(cwd, "repository", ".git", "hooks", "post-checkout"), "#!/bin/sh\ntouch hooked\n", {
    mode: 0o755,
  });
  writeFileSync(path.join(cwd, "repository", "src", "a.txt"), "uncommitted\n");
});

async function run(calls: readonly ScriptedCall[], commit: string): Promise<ReportedTrial> {
  const workspace = { git: { repository: "repository", commit } };
  writeFileSync(path.join(cwd, "kindlm.yaml"), workspaceConfig({ calls, workspace }));
  const env = { PATH: process.env["PATH"] ?? "" };
  const { stdout, stderr } = await runCli(["test", "--reporter", "json"], { cwd, env });
  const { suites } = JSON.parse(stdout || `{"suites":[]}`) as { suites: { tests: { trials: ReportedTrial[] }[] }[] };
  const trial = suites[0]?.tests[0]?.trials[0];
  if (trial === undefined) throw new Error(stderr);
  return trial;
}

const shell = (cmd: string): ScriptedCall => ({ tool: "bash_run", args: { cmd } });
const identity = "git -c user.name=Bob -c user.email=bob@example.com";

it("is a clone at the commit, with its history, from which nothing can be pushed", async () => {
  const before = [git("for-each-ref"), git("status", "--short")];
  const calls = [
    { tool: "fs_read", args: { path: "src/a.txt" } },
    { tool: "fs_write", args: { path: "src/a.txt", content: "mine\n" } },
    shell("git log --format=%s && git diff --stat && ls"),
    shell(`${identity} commit -qam mine && git remote && git push origin HEAD:main`),
  ];
  const { toolCalls, workspace, error } = await run(calls, first.slice(0, 12));
  expect(error).toBeNull();
  const [read, , log, push] = toolCalls.map(({ result }) => result);
  expect(read).toMatchObject({ content: "first\n" });
  const said = expect.stringMatching(/^The first one\n src\/a.txt \| 2 \+-\n.*\nsrc\n$/) as string;
  expect(log).toMatchObject({ ok: true, stdout: said });
  expect(push).toMatchObject({ ok: false, stdout: "", stderr: expect.stringContaining("'origin'") as string });
  // What git itself keeps is no change of the agent.
  expect(workspace?.changes).toMatchObject([{ path: "src/a.txt", change: "changed" }]);
  expect([git("for-each-ref"), git("status", "--short")]).toEqual(before);
  expect(readFileSync(path.join(cwd, "repository", "src", "a.txt"), "utf8")).toBe("uncommitted\n");
});

it("makes the trial errored if there is no such commit", async () => {
  const { error } = await run([], "0123456789ab");
  expect(error?.code).toBe("ENGINE_FIXTURE_ERROR");
  expect(error?.message).toBe(
    'The repository "repository" has no commit 0123456789ab that could be checked out: invalid reference: 0123456789ab',
  );
});

it("takes no branch, which would move", async () => {
  const workspace = { git: { repository: "repository", commit: "main" } };
  writeFileSync(path.join(cwd, "kindlm.yaml"), workspaceConfig({ calls: [], workspace }));
  expect((await runCli(["validate"], { cwd })).stderr).toContain("A commit is its ID");
});
