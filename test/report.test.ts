import { appendFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";

/** Everything that a report can show: passes, failures, mixed cases, errors with causes, skips, a broken suite, tools. */
const project = `version: 1
project: acme
retry: disabled
providers: { gone: { type: openai, base_url: "http://127.0.0.1:1/v1", api_key_env: NO_KEY } }
models:
  - { id: gone, provider: gone, model: m }
  - id: m
    provider: scripted
    script:
      rules:
        - { when: { user: { $contains: roulette } }, choose: [{ weight: 1, reply: { text: red } }, { weight: 1, reply: { text: black } }] }
        - { when: { user: { $contains: order }, turn: 1 }, reply: { tool_calls: [{ tool: look, args: { id: 7 } }, { tool: nothing, args: {} }] } }
        - { when: { user: { $contains: down } }, reply: { error: { status: 500, body: "out of order" } } }
      otherwise: { text: "hello <b>ünïcode</b> & \\u001b[31mred" }
suites:
  - name: s
    models: [m]
    tools:
      - { name: look, description: Looks, parameters: { type: object }, responses: [{ return: { state: delivered } }] }
    tests:
      - { name: passes, input: hi, assert: [{ type: contains, value: hello }] }
      - { name: fails, input: hi, assert: [{ type: contains, value: goodbye }, { type: contains, value: hello }] }
      - { name: mixed, input: roulette, runs: 6, assert: [{ type: contains, value: red }] }
      - { name: tools, input: order, assert: [{ type: tool_called, tool: look, args: { id: 8 } }] }
      - { name: down, input: down, assert: [{ type: contains, value: hello }] }
      - { name: gone, models: [gone], input: hi, assert: [{ type: contains, value: hello }] }
      - { name: skipped, input: hi, skip: not today, assert: [{ type: contains, value: hello }] }
  - name: broken
    tests: [{ name: t, input: hi, assert: [{ type: contians, value: hello }] }]
`;

const reporters = ["pretty", "json", "junit"] as const;

/** The ids of cases in a JSON report, unless they are of flaky cases. */
const idsIn = /(?<="id":")[^"]+(?=","name")/g;

const runFolder = (cwd: string): string => {
  const runs = join(cwd, ".kindlm", "runs");
  return join(runs, readdirSync(runs).toSorted().at(-1) ?? "");
};

function toFiles(folder: string): string[] {
  return reporters.flatMap((name) => ["--reporter", `${name}=${folder}/${name}`]);
}

describe("kindlm report", () => {
  it.each([{ flags: [] }, { flags: ["--verbose"] }])(
    "is what the run itself wrote, byte for byte ($flags)",
    async ({ flags }) => {
      const cwd = makeProject({ "kindlm.yaml": project });
      const options = { cwd, env: { NO_KEY: "key" } };
      const ran = await runCli(["test", ...flags, ...toFiles("first")], options);
      expect(ran.code).toBe(1);
      const again = await runCli(["report", ...flags, ...toFiles("again")], options);
      expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 0, stdout: ran.stdout });
      for (const name of reporters) {
        const [first, second] = ["first", "again"].map((folder) => readFileSync(join(cwd, folder, name), "utf8"));
        expect(second).toBe(first);
        expect(second).toContain("mixed");
        const piped = await runCli(["report", ...flags, "--reporter", name], options);
        expect(piped.stdout).toBe(first);
      }
    },
  );

  it("is what the last session wrote when the run was resumed with another prompt and fewer trials", async () => {
    const cwd = makeProject({ "kindlm.yaml": project });
    await runCli(["test"], { cwd });
    writeFileSync(join(cwd, "kindlm.yaml"), project.replace("name: s\n", "name: s\n    system_prompt: Be brief.\n"));
    const ran = await runCli(["test", "--resume", "--runs", "1", ...toFiles("first")], { cwd });
    const again = await runCli(["report", ...toFiles("again")], { cwd });
    expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 0, stdout: ran.stdout });
    for (const name of reporters) {
      const [first, second] = ["first", "again"].map((folder) => readFileSync(join(cwd, folder, name), "utf8"));
      expect(second).toBe(first);
    }
  });

  it("names the config of the run in the command that runs again what failed", async () => {
    const cwd = makeProject({ "evals/my suite.yaml": project });
    const ran = await runCli(["test", "evals/my suite.yaml"], { cwd });
    expect(ran.stdout).toContain("again  kindlm test --rerun-failed -c 'evals/my suite.yaml'");
    const found = await runCli(["report", "--root", "evals"], { cwd });
    expect(found.stdout).toBe(ran.stdout);
  });

  it.each([
    ["last", 0],
    [".kindlm/runs/<id>", 0],
    ["<id>", 0],
    ["nothing-like-it", 1],
  ])("finds a run by %s", async (wanted, code) => {
    const cwd = makeProject({ "kindlm.yaml": project });
    await runCli(["test"], { cwd });
    const id = runFolder(cwd).split("/").at(-1) ?? "";
    const again = await runCli(["report", wanted.replace("<id>", id)], { cwd });
    expect(again.code).toBe(code);
    // The hints are about this run, which need not be the last one.
    if (code === 0) {
      expect(again.stdout).toContain(`again  kindlm test --rerun-failed --run ${id} `);
      expect((await runCli(["show", "1", "--run", id], { cwd })).code).toBe(0);
    }
    expect(again.stderr.includes('Run "nothing-like-it" not found\n  Run: kindlm runs list\n')).toBe(code === 1);
  });

  it("shows only the cases that are asked for, and says so; everything else stays that of the run", async () => {
    const cwd = makeProject({ "kindlm.yaml": project });
    await runCli(["test"], { cwd });
    const json = async (...flags: string[]): Promise<unknown> =>
      JSON.parse((await runCli(["report", "--reporter", "json", ...flags], { cwd })).stdout);
    const idsOf = async (...flags: string[]): Promise<string> =>
      JSON.stringify(await json(...flags))
        .match(idsIn)
        ?.join(" ") ?? "";
    const run = { verdict: "failed", exitCode: 1, summary: { total: 9, passed: 1, failed: 3, errored: 2 } };
    expect(await json("-t", "mixed")).toMatchObject({
      ...run,
      selection: { shown: 1, of: 9 },
      flaky: [{ id: "s/mixed@m" }],
      suites: [{ name: "s", summary: { total: 7 }, tests: [{ id: "s/mixed@m", trials: { length: 6 } }] }],
    });
    expect(await json()).not.toHaveProperty("selection");
    expect(await idsOf("--failed", "--exclude", "/^broken/")).toBe(
      "s/fails@m s/mixed@m s/tools@m s/down@m s/gone@gone",
    );
    expect(await idsOf("--failed", "--suite", "broken")).toBe("broken/t@gone broken/t@m");
    expect(await idsOf("--model", "gone", "--suite", "s")).toBe("s/gone@gone");
    expect(await json("--failed", "-t", "passes")).toMatchObject({
      ...run,
      selection: { shown: 0, of: 9 },
      suites: [],
    });
    const shown = await runCli(["report", "--failed", "--suite", "s"], { cwd });
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(shown.stdout).toMatch(/5 of 9 cases shown[^\n]+\n.*Summary: 1 passed, 3 failed, 2 errored, 3 skipped/s);
    expect(shown.stdout).not.toContain("passes");
    const junit = await runCli(["report", "--failed", "--suite", "s", "--reporter", "junit"], { cwd });
    expect(junit.stdout).toContain('tests="5" failures="3" errors="2"');
  });

  it("shows the conversations of the only case that is asked for, as kindlm show does", async () => {
    const cwd = makeProject({ "kindlm.yaml": project });
    await runCli(["test"], { cwd });
    const [shown, reported] = [
      await runCli(["show", "s/tools@m"], { cwd }),
      await runCli(["report", "-t", "tools"], { cwd }),
    ];
    expect({ ...reported, durationMs: 0 }).toEqual({ ...shown, durationMs: 0 });
    expect(shown.stdout).toContain("trial 1: failed");
  });

  it.each([
    [["-t", "fials"], '✗ No case matches "fials"\n  Did you mean "fails"? '],
    [["-t", "fails", "-t", "s/tols"], '✗ No case matches "s/tols"\n  Did you mean "s/tools"? '],
    [["--suite", "broke"], '✗ Suite "broke" not found\n  Did you mean "broken"?\n'],
    [["--suite", "broken", "--model", "m", "-t", "fails"], '✗ No case matches "broken", "fails", "m"\n'],
    [["--exclude", "s/", "--exclude", "t"], '✗ No case is left: each matches "s/" or "t"\n'],
    [["-t", "/(/"], "✗ The pattern /(/ is not a regular expression"],
  ])("refuses a selection without a case, and names the nearest: %s", async (flags, message) => {
    const cwd = makeProject({ "kindlm.yaml": project });
    await runCli(["test", "-t", "/./"], { cwd });
    const refused = await runCli(["report", ...flags], { cwd });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(message);
  });

  it("says how to go on with a run that never came to its end", async () => {
    const cwd = makeProject({ "kindlm.yaml": project });
    expect((await runCli(["report"], { cwd })).stderr).toBe("✗ No runs yet\n  Run: kindlm test\n");
    await runCli(["test"], { cwd });
    const folder = runFolder(cwd);
    const id = folder.split("/").at(-1) ?? "";
    rmSync(join(folder, "run.json"));
    const refused = await runCli(["report"], { cwd });
    expect(refused).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `✗ The run ${id} did not finish\n  Resume it: kindlm test --resume --run ${id}\n`,
    });
  });

  it("reads a journal whose last line was torn off, and says which line of it is damaged otherwise", async () => {
    const cwd = makeProject({ "kindlm.yaml": project });
    const ran = await runCli(["test"], { cwd });
    const journal = join(runFolder(cwd), "journal.jsonl");
    appendFileSync(journal, '{"kind":"trial","trial":{"cas');
    expect((await runCli(["report"], { cwd })).stdout).toBe(ran.stdout);
    appendFileSync(journal, '\n{"kind":"session","at":1}\n');
    const lines = readFileSync(journal, "utf8").split("\n").length - 2;
    const refused = await runCli(["report"], { cwd });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(`journal.jsonl is damaged at line ${lines}\n  Start a new run: kindlm test\n`);
    truncateSync(join(runFolder(cwd), "run.json"), 20);
    const damaged = await runCli(["report"], { cwd });
    expect(damaged.stderr).toMatch(
      /run\.json is damaged\n {2}Remove the file, then write it again: kindlm test --resume/,
    );
  });

  it("fails when a report cannot be written, and writes the others all the same", async () => {
    const cwd = makeProject({ "kindlm.yaml": project, "a-file": "" });
    const ran = await runCli(["test"], { cwd });
    const again = await runCli(["report", "--reporter", "json=a-file/report.json", "--reporter", "junit=j.xml"], {
      cwd,
    });
    expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 1, stdout: ran.stdout });
    expect(again.stderr).toContain("✗ Cannot write a-file/report.json:");
    expect(readFileSync(join(cwd, "j.xml"), "utf8")).toContain("<testsuites");
  });

  it("ends quietly when its reader goes away", async () => {
    const cwd = makeProject({ "kindlm.yaml": project });
    await runCli(["test"], { cwd });
    const cut = await runCli(["report", "--reporter", "json"], { cwd, readerLeavesAfter: 100 });
    expect(cut).toMatchObject({ code: 0, stderr: "" });
    expect(cut.stdout).toHaveLength(100);
  });
});
