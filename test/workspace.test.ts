import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { runInWorkspace, workspaceConfig } from "./support/workspace-run.js";

const seed = { "seed/src/sum.js": "export const sum = (a, b) => a - b;\n", "seed/README.md": "# Sums\n" };
const read = { tool: "fs_read", args: { path: "src/sum.js" } };
const write = { tool: "fs_write", args: { path: "src/sum.js", content: "export const sum = (a, b) => a + b;\n" } };

describe("a workspace", () => {
  it("shows what the agent changed, and leaves the seed as it was", async () => {
    const { cwd, trial } = await runInWorkspace({ workspace: { from: "seed" }, calls: [read, write], files: seed });
    expect(trial).toMatchObject({ status: "passed", error: null });
    expect(trial.workspace).toEqual({
      changes: [
        {
          path: "src/sum.js",
          change: "changed",
          addedLines: 1,
          deletedLines: 1,
          diff: "@@ -1,1 +1,1 @@\n-export const sum = (a, b) => a - b;\n+export const sum = (a, b) => a + b;\n",
        },
      ],
    });
    expect(readFileSync(path.join(cwd, "seed/src/sum.js"), "utf8")).toBe(seed["seed/src/sum.js"]);
  });

  it("is gone after the trial", async () => {
    const temporary = makeProject({});
    const workspace = { from: "seed" };
    await runInWorkspace({ workspace, calls: [read], files: seed, env: { TMPDIR: temporary } });
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("is kept if asked, and says where", async () => {
    const failing = [{ type: "contains", value: "no such text" }];
    const workspace = { files: { "a.txt": "a" }, keep: "on_failure" };
    const { trial } = await runInWorkspace({ workspace, calls: [], assert: failing });
    const kept = trial.workspace?.kept ?? "";
    expect(readFileSync(path.join(kept, "a.txt"), "utf8")).toBe("a");
    rmSync(path.dirname(kept), { recursive: true });
    const passed = await runInWorkspace({ workspace, calls: [] });
    expect(passed.trial.workspace).toEqual({ changes: [] });
  });

  it("is kept if the trial is errored, and the block of the error says where", async () => {
    const workspace = { files: { "a.txt": "a" }, keep: "on_failure" };
    const calls = [{ tool: "fs_read", args: { path: "a.txt" } }];
    const config = workspaceConfig({ workspace, calls });
    const cwd = makeProject({ "kindlm.yaml": config.replace('"text":"Done"', '"error":{"status":401}') });
    const temporary = makeProject({});
    const { stdout } = await runCli(["test"], { cwd, env: { TMPDIR: temporary, COLUMNS: "200" } });
    const kept = /^ +kept in (.*)$/m.exec(stdout)?.[1] ?? "";
    expect(readFileSync(path.join(kept, "a.txt"), "utf8")).toBe("a");
  });

  it("holds the files of the config over those of the seed", async () => {
    const workspace = { from: "seed", files: { "README.md": "# Other\n", "new/deep.txt": "x" } };
    const calls = ["README.md", "new/deep.txt", "src/sum.js"].map((place) => ({
      tool: "fs_read",
      args: { path: place },
    }));
    const { trial } = await runInWorkspace({ workspace, calls: [calls], files: seed });
    expect(trial.toolCalls.map(({ result }) => (result as { content: string }).content)).toEqual([
      "# Other\n",
      "x",
      seed["seed/src/sum.js"],
    ]);
  });

  it("refuses a path that leaves it, and reports the attempt", async () => {
    const calls = [
      { tool: "fs_read", args: { path: "../../etc/passwd" } },
      { tool: "fs_write", args: { path: "/tmp/kindlm-escaped", content: "x" } },
    ];
    const { trial } = await runInWorkspace({ calls });
    expect(trial.toolCalls.map(({ error }) => error?.message)).toEqual([
      'Path "../../etc/passwd" is outside the workspace',
      'Path "/tmp/kindlm-escaped" is outside the workspace',
    ]);
    expect(trial.workspace?.escapes).toEqual([
      { path: "../../etc/passwd", access: "read" },
      { path: "/tmp/kindlm-escaped", access: "write" },
    ]);
    expect(existsSync("/tmp/kindlm-escaped")).toBe(false);
  });

  it("is the folder in which a program under test runs", async () => {
    const target = {
      command: [
        process.execPath,
        "-e",
        'require("fs").writeFileSync("made.txt", "x"); console.log("Done in " + process.cwd())',
      ],
    };
    const { trial } = await runInWorkspace({ calls: [], tools: [], suite: { target } });
    expect(trial.workspace?.changes).toMatchObject([{ path: "made.txt", change: "added" }]);
  });
});

describe("a config with a workspace", () => {
  const problemOf = async (config: string, files = {}): Promise<string> =>
    (await runCli(["validate"], { cwd: makeProject({ ...files, "kindlm.yaml": config }) })).stderr;

  it.each([
    ["a missing seed", { from: "nowhere" }, 'Workspace "nowhere" not found'],
    [
      "two seeds",
      { from: "seed", git: { repository: "seed", commit: "0123456" } },
      '"from" and "git" cannot be combined',
    ],
    ["a branch in place of a commit", { git: { repository: "seed", commit: "main" } }, "A commit is its ID"],
    ["a file outside of it", { files: { "../a": "" } }, "must be a relative path that stays in it"],
  ])("is refused for %s", async (_name, workspace, message) => {
    expect(await problemOf(workspaceConfig({ calls: [], workspace }), seed)).toContain(message);
  });

  it("is refused without a workspace for its tools, and for a misspelt tool", async () => {
    expect(await problemOf(workspaceConfig({ calls: [], workspace: false }))).toContain("needs a workspace");
    expect(await problemOf(workspaceConfig({ calls: [], tools: ["fs_raed"] }))).toContain('Did you mean "fs_read"?');
    const typo = workspaceConfig({ calls: [], tools: [{ builtin: "fs_raed" }] });
    expect(await problemOf(typo)).toContain('Built-in tool "fs_raed" not found');
  });
});
