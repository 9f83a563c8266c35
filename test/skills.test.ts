import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { sendJson, startServer } from "../packages/core/src/__fixtures__/start-server.js";
import { runCli } from "./support/run-cli.js";
import { runInWorkspace, workspaceConfig, type ScriptedCall, type WorkspaceRun } from "./support/workspace-run.js";

/** The tool `skills` of the KODE SDK, by the sections of its pages on tools and skills. */
const skillMd = (name: string, description = `Write ${name}`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# How to write ${name}\n`;

const files = {
  ".skills/notes/SKILL.md": skillMd("notes"),
  ".skills/notes/references/style.md": "Be brief.\n",
  ".skills/notes/references/more/words.md": "Short words.\n",
  ".skills/notes/scripts/count.sh": "#!/bin/sh\nwc -w\n",
  ".skills/notes/assets/logo.svg": "<svg/>\n",
  ".skills/group/letters/SKILL.md": skillMd("letters", "'Write letters:\n  formal ones'"),
  ".skills/.archived/old/SKILL.md": "no front matter",
};

const load = (skill_name?: string, action = "load"): ScriptedCall => ({
  tool: "skills",
  args: { action, ...(skill_name === undefined ? {} : { skill_name }) },
});
const tools = ["*", "skills"];

async function results(run: Partial<WorkspaceRun> & Pick<WorkspaceRun, "calls">) {
  const { trial } = await runInWorkspace({ files, tools, ...run });
  return { trial, results: trial.toolCalls.map(({ result, error }) => result ?? error?.message) };
}

async function problemsOf(
  skills: Readonly<Record<string, string>>,
  { assert, ...suite }: { assert?: readonly unknown[] } & Record<string, unknown> = {},
): Promise<string> {
  const asserted = assert === undefined ? {} : { assert };
  const config = workspaceConfig({ calls: [load("a")], tools: ["skills"], suite, ...asserted });
  const folder = makeProject({ ...skills, "kindlm.yaml": config });
  const { code, stderr } = await runCli(["validate"], { cwd: folder });
  expect(code).toBe(1);
  return stderr;
}

describe("skills: Load specific skill content (instructions, references, scripts, assets)", () => {
  it("returns { ok, data: { name, description, content, base_dir, references, scripts, assets } }, which the file tools can read", async () => {
    const { results: made, trial } = await results({
      calls: [load("notes"), { tool: "fs_read", args: { path: ".skills/notes/references/style.md" } }, load("letters")],
      assert: [
        { type: "files_changed", none: true },
        { type: "loads_skill", skill: "notes", times: 1, before: "fs_*" },
        { type: "loads_skill", skill: "letters", before: "fs_*" },
        { type: "event", name: "skill_loaded", data: { skill: "letters" } },
      ],
    });
    const base = ".skills/notes";
    expect(made).toEqual([
      {
        ok: true,
        data: {
          name: "notes",
          description: "Write notes",
          content: files[".skills/notes/SKILL.md"],
          base_dir: base,
          references: [`${base}/references/more/words.md`, `${base}/references/style.md`],
          scripts: [`${base}/scripts/count.sh`],
          assets: [`${base}/assets/logo.svg`],
        },
      },
      expect.objectContaining({ content: "Be brief.\n" }),
      expect.objectContaining({ data: expect.objectContaining({ description: "Write letters: formal ones" }) }),
    ]);
    expect(trial.workspace?.changes).toEqual([]);
    expect(trial.assertions.map(({ pass, message }) => [pass, message])).toEqual([
      [true, "No file changed"],
      [true, "Skill notes was loaded before fs_*"],
      [false, expect.stringContaining("Expected skill letters to be loaded before fs_*, but fs_read(")],
      [true, expect.any(String)],
    ]);
  });

  it("returns the same without a workspace, with paths relative to the config", async () => {
    const { results: made } = await results({ calls: [load("notes")], workspace: false, tools: ["skills"] });
    expect(made).toMatchObject([
      { data: { base_dir: ".skills/notes", scripts: [".skills/notes/scripts/count.sh"], content: skillMd("notes") } },
    ]);
  });

  it("answers what cannot be loaded as the reference does, and list is disabled", async () => {
    const { results: made } = await results({
      calls: [load(), load("xxx"), load("../notes"), load("old"), load("notes", "list"), load("notes", "save")],
    });
    expect(made).toEqual([
      "skill_name is required when action=load",
      "Skill 'xxx' not found",
      "Skill '../notes' not found",
      "Skill 'old' not found",
      "The action list is disabled: the description of this tool lists the skills",
      "Unknown action: save",
    ]);
  });

  it("Hot Reload: loads what the agent made of a skill, which counts as a change of the workspace", async () => {
    const file = ".skills/notes/SKILL.md";
    const { results: made, trial } = await results({
      calls: [
        { tool: "fs_read", args: { path: file } },
        { tool: "fs_edit", args: { path: file, old: "How to write", new: "Never write" } },
        load("notes"),
      ],
      assert: [{ type: "command", command: ["grep", "-q", "Never", file], cwd: "workspace" }],
    });
    expect(made[2]).toMatchObject({ data: { content: expect.stringContaining("# Never write notes") } });
    expect(trial.workspace?.changes).toMatchObject([
      { path: file, change: "changed", diff: expect.stringContaining("-# How to write notes\n+# Never write notes") },
    ]);
    expect(trial.status).toBe("passed");
  });

  it("stays out of what the agent commits, and out of what a copy may lead to", async () => {
    const cwd = makeProject({ ...files, "seed/a.txt": "a" });
    const git = (...args: readonly string[]): string =>
      execFileSync("git", ["-C", join(cwd, "seed"), "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        encoding: "utf8",
      }).trim();
    git("init", "-q");
    git("add", ".");
    git("commit", "-q", "-m", "first");
    const workspace = { git: { repository: "seed", commit: git("rev-parse", "HEAD") } };
    const status = { type: "command", command: ["sh", "-c", 'test -z "$(git status --short)"'], cwd: "workspace" };
    const config = workspaceConfig({ calls: [load("notes")], tools, workspace, assert: [status] });
    writeFileSync(join(cwd, "kindlm.yaml"), config);
    const ran = await runCli(["test"], { cwd });
    expect(ran.code, ran.stdout).toBe(0);
    symlinkSync("/etc/passwd", join(cwd, ".skills/notes/assets/link"));
    expect((await runCli(["validate"], { cwd })).stderr).toContain(
      'The link "notes/assets/link" in the skills folder leads out of it',
    );
  });

  it("Metadata Injection: the description of the tool has names and descriptions; Whitelist Filter: only some of them", async () => {
    const server = await startServer((_request, response) => sendJson(response, 200, chatCompletion({ text: "Done" })));
    onTestFinished(() => server.close());
    const skills = { only: ["letters"] };
    const { results: made } = await results({ calls: [load("letters"), load("notes")], suite: { skills } });
    expect(made).toMatchObject([{ data: { name: "letters" } }, "Skill 'notes' not found"]);
    const config = {
      version: 1,
      providers: { local: { type: "openai", base_url: server.url } },
      models: [{ id: "m", provider: "local", model: "m", stream: false }],
      skills,
      suites: [
        { name: "s", tools: ["skills"], tests: [{ name: "t", input: "x", assert: [{ type: "turns", max: 1 }] }] },
      ],
    };
    const cwd = makeProject({ ...files, "kindlm.yaml": JSON.stringify(config) });
    expect(await runCli(["test"], { cwd })).toMatchObject({ code: 0 });
    expect(server.requests[0]?.body).toContain('Skills:\\n- letters: Write letters: formal ones"');
  });
});

describe("SKILL.md Format", () => {
  it("reports what is wrong with a skill, and with the folder", async () => {
    const stderr = await problemsOf({
      ".skills/a/SKILL.md": "# No front matter",
      ".skills/b/SKILL.md": skillMd("c"),
      ".skills/c/SKILL.md": "---\nname: c\n---\n",
      ".skills/d/SKILL.md": "---\nname: [\n---\n",
      ".skills/e/SKILL.md": `${skillMd("e")}${"x".repeat(262_144)}`,
      ".skills/f g/SKILL.md": skillMd("f g"),
      ".skills/x/h/SKILL.md": skillMd("h"),
      ".skills/y/h/SKILL.md": skillMd("h"),
    });
    for (const problem of [
      ".skills/a/SKILL.md has no front matter",
      "b/SKILL.md says name: c",
      "c/SKILL.md has no description in its front matter",
      "d/SKILL.md has front matter that is not YAML",
      "e/SKILL.md is larger than 0.25 MiB",
      "f g/SKILL.md has a folder that cannot be a name",
      'Two skills are named "h": x/h and y/h',
    ]) {
      expect(stderr).toContain(problem);
    }
    expect(await problemsOf({})).toContain('Skills folder ".skills" not found');
    expect(await problemsOf({ ".skills/a/README.md": "" })).toContain('There is no skill in ".skills"');
    const a = { "own/a/SKILL.md": skillMd("a") };
    expect(await problemsOf(a, { skills: { folder: "own", only: ["b"] } })).toContain('Skill "b" not found in "own"');
    const assert = [{ type: "loads_skill", skill: "aa" }];
    expect(await problemsOf(a, { skills: "own", assert })).toContain('No skill of the test is named "aa" at line');
    expect(await problemsOf(a, { skills: "../own" })).toContain('"../own" is outside the folder of the config');
  });
});
