import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  baselineFile,
  baselineProject,
  configText,
  entriesIn,
  report,
  rewrite,
  run,
  scriptText,
} from "./support/baseline-project.js";

/** A project with a baseline of these tests. */
async function blessed(tests: readonly string[]): Promise<string> {
  const cwd = baselineProject(tests);
  await run(cwd, "test");
  expect(await run(cwd, "baseline", "set")).toMatchObject({ code: 0 });
  return cwd;
}

const edit = (cwd: string, change: (text: string) => string): void =>
  writeFileSync(baselineFile(cwd), change(readFileSync(baselineFile(cwd), "utf8")));

describe("the file of a baseline", { timeout: 60_000 }, () => {
  it("does not mind other line ends and another layout", async () => {
    const cwd = await blessed(["a", "b"]);
    edit(cwd, (text) => text.replaceAll("\n", "\r\n"));
    expect((await report(cwd)).comparison).toMatchObject({ verdict: "ok", suites: [{ status: "compared" }] });
    edit(cwd, (text) => JSON.stringify(JSON.parse(text)));
    expect((await report(cwd)).comparison).toMatchObject({ verdict: "ok", suites: [{ status: "compared" }] });
  });

  it.each<[string, (text: string) => string, string, RegExp, string]>([
    [
      "a changed value",
      (text) => text.replace('"passes": 1', '"passes": 0'),
      "BASELINE_CORRUPT",
      /has an entry whose checksum is wrong: refund-agent\/a@m$/,
      "Take each entry completely from one side, or run: kindlm baseline set",
    ],
    [
      "a changed header",
      (text) => text.replace('"seed":1', '"seed":2'),
      "BASELINE_CORRUPT",
      /has a header whose checksum is wrong$/,
      "Take the header completely from one side, or run: kindlm baseline set",
    ],
    [
      "half of it",
      (text) => text.slice(0, 300),
      "BASELINE_CORRUPT",
      /is not JSON: /,
      "Restore it from git, or run: kindlm baseline set",
    ],
    ["nothing", () => "", "BASELINE_CORRUPT", /is empty$/, "Restore it from git, or run: kindlm baseline set"],
    [
      "a newer version",
      (text) => text.replace('"schemaVersion": 3', '"schemaVersion": 4'),
      "BASELINE_VERSION_MISMATCH",
      /has version 4, but this KindLM reads versions 1 to 3$/,
      "Upgrade KindLM, or run: kindlm baseline set",
    ],
  ])("says that it cannot be used: %s. The tests run all the same", async (_name, change, code, message, fix) => {
    const cwd = await blessed(["a", "b"]);
    edit(cwd, change);
    expect(await report(cwd)).toMatchObject({
      exitCode: 0,
      comparison: {
        verdict: null,
        suites: [{ status: "unreadable", error: { code, message: expect.stringMatching(message) } }],
      },
    });
    expect((await run(cwd, "test")).stdout).toContain(fix);
  });

  it("is reported by every command if it cannot be used, and replaced when it is set again", async () => {
    const cwd = await blessed(["a", "b"]);
    edit(cwd, (text) => text.replace('"passes": 1', '"passes": 0'));
    const fix = "Take each entry completely";
    const told = { code: 1, stdout: expect.stringContaining(fix) };
    expect(await run(cwd, "test")).toMatchObject({ ...told, code: 0 });
    expect(await run(cwd, "baseline", "compare")).toMatchObject(told);
    expect(await run(cwd, "baseline", "list")).toMatchObject(told);
    expect(await run(cwd, "baseline", "show", "refund-agent")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(fix),
    });
    // What is sound of it stays where a part of the suite is set again.
    await run(cwd, "test", "-t", "a@");
    const set = await run(cwd, "baseline", "set");
    expect(set.stdout).toContain("replaces an unusable baseline: The baseline");
    expect(set.stdout).toContain("kept, because the run did not produce a result for them: refund-agent/b@m");
    expect((await report(cwd)).comparison).toMatchObject({ verdict: "ok", suites: [{ cases: 2 }] });
  });

  it("is merged by git, and by hand where git cannot", async () => {
    const cwd = await blessed(["a", "b", "c", "d", "e"]);
    const git = (...args: readonly string[]): string =>
      execFileSync("git", ["-c", "user.name=k", "-c", "user.email=k@example.org", ...args], { cwd, encoding: "utf8" });
    const commit = (message: string): void => {
      git("add", "-A");
      git("commit", "-qm", message);
    };
    const bless = async (name: string): Promise<void> => {
      rewrite(cwd, "script.yaml", scriptText({ [name]: { text: `hello, and ${name} too` } }));
      await run(cwd, "test", "-t", `${name}@`);
      expect(await run(cwd, "baseline", "set", "--with-outputs")).toMatchObject({ code: 0 });
      git("checkout", "-q", "script.yaml");
      commit(name);
    };
    git("init", "-qb", "main");
    commit("first");
    expect(git("ls-files")).toContain(".kindlm/baselines/refund-agent.json");
    expect(git("ls-files")).not.toContain("runs/2");
    git("checkout", "-qb", "other");
    await bless("d");
    git("checkout", "-q", "main");
    await bless("b");
    // Both have a header of their own; of the cases each has another one.
    expect(() => git("merge", "-q", "other")).toThrow();
    const conflicted = readFileSync(baselineFile(cwd), "utf8");
    expect(conflicted.match(/^<{7} /gm)).toHaveLength(1);
    const comparison = (await report(cwd)).comparison?.suites[0];
    expect(comparison?.error?.message).toMatch(/has an unresolved merge conflict at line 3$/);
    expect((await run(cwd, "test")).stdout).toContain("Resolve the conflict: keep one header");
    edit(cwd, (text) => text.replace(/<{7}[^\n]*\n([^\n]*\n)={7}\n[^\n]*\n>{7}[^\n]*\n/, "$1"));
    const merged = entriesIn(baselineFile(cwd));
    expect(merged.map(({ output }) => output)).toEqual([
      undefined,
      "hello, and b too",
      undefined,
      "hello, and d too",
      undefined,
    ]);
    expect((await report(cwd)).comparison).toMatchObject({ verdict: "ok", suites: [{ status: "compared" }] });
  });

  it("is no use to others where git ignores it, which is told", async () => {
    const cwd = await blessed(["a"]);
    execFileSync("git", ["init", "-q"], { cwd });
    expect(await run(cwd, "baseline", "set")).toMatchObject({ code: 0, stderr: "" });
    rewrite(cwd, ".gitignore", ".kindlm/\n");
    expect((await run(cwd, "baseline", "set")).stderr).toBe(
      `⚠ Git ignores .kindlm/baselines/refund-agent.json, so it will not be committed
  Remove .kindlm from .gitignore. Runs stay out of commits, because .kindlm/runs has its own .gitignore
`,
    );
  });

  it("is not moved to another suite", async () => {
    const cwd = await blessed(["a"]);
    const text = readFileSync(baselineFile(cwd), "utf8");
    writeFileSync(baselineFile(cwd, "other"), text);
    rewrite(cwd, "kindlm.yaml", configText(["a"], "other"));
    expect((await report(cwd)).comparison?.suites).toMatchObject([
      {
        suite: "other",
        status: "unreadable",
        error: { message: expect.stringContaining('belongs to suite "refund-agent"') },
      },
    ]);
    expect((await run(cwd, "baseline")).stdout).toContain("Rename it to .kindlm/baselines/refund-agent.json");
  });
});
