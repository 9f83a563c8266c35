import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { fileOn } from "./support/docs/pages.js";
import { runCli } from "./support/run-cli.js";
import { runInWorkspace } from "./support/workspace-run.js";

const files = { "a.txt": "one\n", "data.json": '{ "n": 1 }', "old/b.txt": "two\n" };
const calls = [
  { tool: "fs_read", args: { path: "a.txt" } },
  { tool: "fs_edit", args: { path: "a.txt", old: "one", new: "eins" } },
  { tool: "fs_write", args: { path: "new/c.txt", content: "three\n" } },
  { tool: "fs_write", args: { path: "../escape.txt", content: "x" } },
];

/** Which of the assertions pass, with the message of each that does not. */
async function outcomes(assert: readonly unknown[]): Promise<unknown[]> {
  const { trial } = await runInWorkspace({ workspace: { files }, calls, assert });
  return trial.assertions.map(({ pass, message }) => pass || message);
}

describe("file", () => {
  it("passes for what is there, and says what is there instead", async () => {
    const of = (name: string, check: object = {}): object => ({ type: "file", path: name, ...check });
    expect(
      await outcomes([
        of("new/c.txt"),
        of("a.txt", { equals: "eins\n" }),
        of("a.txt", { contains: "ein" }),
        of("a.txt", { matches: "^e.*s$" }),
        of("data.json", { json: { n: { $gte: 1 } } }),
        of("old/b.txt", { unchanged: true }),
        of("none.txt", { absent: true }),
      ]),
    ).toEqual(Array(7).fill(true));
    expect(
      await outcomes([
        of("none.txt"),
        of("a.txt", { absent: true }),
        of("a.txt", { unchanged: true }),
        of("a.txt", { equals: "eins" }),
        of("a.txt", { contains: "one" }),
        of("data.json", { json: { n: 2 } }),
        of("a.txt", { json: {} }),
      ]),
    ).toEqual([
      'Expected file "none.txt" to exist, but it does not',
      'Expected file "a.txt" to be absent, but it exists',
      'Expected file "a.txt" to be unchanged, but it was changed',
      'Expected file "a.txt" to be "eins", but it is "eins\\n"',
      'Expected file "a.txt" to contain "one", but it is "eins\\n"',
      'Expected file "data.json" to match {n: 2}, but n is 1',
      'Expected file "a.txt" to be JSON, but it is "eins\\n"',
    ]);
  });

  it("takes one check, and is errored outside of the workspace", async () => {
    const config = (check: object): string =>
      JSON.stringify({
        version: 1,
        models: [{ id: "m", provider: "scripted", script: { otherwise: { text: "Done" } } }],
        suites: [
          { name: "s", workspace: {}, tests: [{ name: "t", input: "x", assert: [{ type: "file", ...check }] }] },
        ],
      });
    const both = makeProject({ "kindlm.yaml": config({ path: "a", absent: true, equals: "" }) });
    expect((await runCli(["validate"], { cwd: both })).stderr).toContain('"absent" and "equals" cannot be combined');
    const outside = makeProject({ "kindlm.yaml": config({ path: "../a" }) });
    expect((await runCli(["test"], { cwd: outside })).stdout).toContain('Path "../a" is outside the workspace');
  });
});

describe("files_changed", () => {
  it("passes for the files that changed, and names the others", async () => {
    const of = (options: object): object => ({ type: "files_changed", ...options });
    expect(
      await outcomes([
        of({ only: ["a.txt", "new/*"] }),
        of({ at_least: ["new/*"] }),
        of({ only: ["a.txt"] }),
        of({ at_least: ["old/*"] }),
        of({ none: true }),
      ]),
    ).toEqual([
      true,
      true,
      "Expected only a.txt to change, but new/c.txt changed",
      "Expected old/* to change, but old/* did not",
      "Expected no file to change, but a.txt, new/c.txt changed",
    ]);
  });
});

describe("wrote_outside", () => {
  it("finds the attempt to write, and none in a trial without", async () => {
    expect(await outcomes([{ type: "wrote_outside" }])).toEqual([true]);
    const { trial } = await runInWorkspace({ calls: [], assert: [{ type: "wrote_outside", not: true }] });
    expect(trial.assertions).toMatchObject([{ pass: true }]);
  });
});

describe("command with cwd: workspace", () => {
  const node = (script: string): object => ({
    type: "command",
    command: [process.execPath, "-e", script],
    cwd: "workspace",
  });

  it("runs in a copy of what the agent left, without the environment of KindLM", async () => {
    const { trial } = await runInWorkspace({
      workspace: { files, env: { MODE: "test" } },
      calls,
      env: { SECRET_KEY: "s3cr3t-value" },
      assert: [
        node(`const fs = require("fs"); fs.writeFileSync("a.txt", ""); process.exit(process.env.SECRET_KEY ? 1 : 0)`),
        node(
          `process.exit(require("fs").readFileSync("a.txt", "utf8") === "eins\\n" && process.env.MODE === "test" ? 0 : 1)`,
        ),
      ],
    });
    expect(trial.assertions.map(({ pass, message }) => pass || message)).toEqual([true, true]);
    expect(trial.workspace?.changes.map((change) => change.path)).toEqual(["a.txt", "new", "new/c.txt"]);
  });
});

describe("a run that is scored again", () => {
  it("restores the files from the record", async () => {
    const project = (contains: string): string =>
      fileOn("docs/workspaces.md", "kindlm.yaml").replace("contains: a + b", `contains: "${contains}"`);
    const cwd = makeProject({ "kindlm.yaml": project("a + b") });
    expect(await runCli(["test"], { cwd })).toMatchObject({ code: 0 });
    writeFileSync(path.join(cwd, "kindlm.yaml"), project("a * b"));
    const again = await runCli(["test", "--resume", "--reporter", "json"], { cwd });
    const { suites } = JSON.parse(again.stdout) as {
      suites: { tests: { trials: { assertions: { type: string; pass: boolean }[] }[] }[] }[];
    };
    expect(suites[0]?.tests[0]?.trials[0]?.assertions.map(({ type, pass }) => [type, pass])).toEqual([
      ["command", true],
      ["files_changed", true],
      ["file", false],
      ["wrote_outside", true],
    ]);
  });
});
