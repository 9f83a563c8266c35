import { rm } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withoutVolatileFields } from "../packages/core/src/reporters/json/without-volatile-fields.js";
import { makeProject, type ProjectFiles } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { check, runIds, runShards, single } from "./support/shard-jobs.js";

/** Rows, prompts, faults, models, a broken suite, and tests that fail, err, are skipped and are allowed to fail. */
const project: ProjectFiles = {
  "kindlm.yaml": `version: 1
defaults: { concurrency: 1 }
models:
  - { id: first, provider: scripted, script: script.yaml }
  - { id: second, provider: scripted, script: script.yaml }
gates: { errored: 5, tool_errors: 10 }
suites:
  - name: orders
    models: [first]
    prompts: [{ id: kind, system_prompt: Be kind }, { id: brief, system_prompt: Be brief }]
    tools:
      - { name: look_up, responses: [{ return: { status: sent } }] }
    tests:
      - { name: greets, input: hi, rows: [{ id: a }, { id: b }, { id: c }], ${check} }
      - name: looks-up
        input: order
        faults: { expand: true, list: [{ tool: look_up, kind: error }] }
        assert: [{ type: tool_called, tool: look_up }]
  - name: broken
    models: [first]
    tests:
      - { name: fine, input: hi, ${check} }
      - { name: wrong, input: hi, assert: [{ type: unheard }] }
  - name: verdicts
    tests:
      - { name: fails, input: hi, assert: [{ type: contains, value: goodbye }] }
      - { name: errs, input: nothing, ${check} }
      - { name: is-skipped, skip: later, input: hi, ${check} }
      - { name: may-fail, allow_failure: known, input: hi, runs: 3, assert: [{ type: contains, value: goodbye }] }
      - { name: draws, input: draw, runs: 4, pass: 1, ${check} }
`,
  "script.yaml": `rules:
  - when: { user: { $contains: order }, turn: 1 }
    reply: { tool_calls: [{ tool: look_up, args: { id: "1" } }] }
  - when: { user: { $contains: order } }
    reply: { text: It was sent }
  - when: { user: draw }
    choose: [{ weight: 1, reply: { text: hello } }, { weight: 1, reply: { text: no } }]
  - when: { user: nothing }
    reply: { error: { status: 404 } }
otherwise: { text: hello }
`,
};

const reportIn = (cwd: string): unknown => JSON.parse(readFileSync(join(cwd, "out.json"), "utf8"));
const stable = (cwd: string): unknown => withoutVolatileFields(reportIn(cwd));
const reporter = ["--reporter", "json=out.json", "--reporter", "pretty"];

describe("four shards", () => {
  it("merged equal the whole run, apart from what differs from run to run", async () => {
    const { artifacts, outcomes } = await runShards(4, project);
    const cwd = makeProject(project);
    const merged = await runCli(["merge", artifacts, ...reporter], { cwd });
    const whole = makeProject(project);
    const unsharded = await runCli(["test", ...reporter], { cwd: whole });
    expect(merged.code, merged.stderr).toBe(unsharded.code);
    expect(stable(cwd)).toEqual(stable(whole));
    expect(reportIn(cwd)).toMatchObject({
      summary: { total: 22, errored: 2, allowedFailures: 2 },
      gates: [{ name: "errored" }, { name: "tool_errors" }],
    });
    expect(outcomes.map(({ stdout }) => /Shard (\d) of 4: \d+ of 22 cases/.exec(stdout)?.[1])).toEqual([
      "1",
      "2",
      "3",
      "4",
    ]);
    // The merged run is one as any other.
    const again = await runCli(["report", "--reporter", "json=again.json"], { cwd });
    expect(again.code, again.stderr).toBe(0);
    expect(JSON.parse(readFileSync(join(cwd, "again.json"), "utf8"))).toEqual(reportIn(cwd));
    const resumed = await runCli(["test", "--resume", ...reporter], { cwd });
    expect(resumed.code).toBe(unsharded.code);
    expect(reportIn(cwd)).toMatchObject({
      summary: { passed: (reportIn(whole) as { summary: { passed: number } }).summary.passed },
    });
  });

  it("are balanced by what the merge wrote down, and merge again", async () => {
    const first = await runShards(4, project);
    const cwd = makeProject(project);
    await runCli(["merge", first.artifacts], { cwd });
    const durations = readFileSync(join(cwd, ".kindlm/durations.json"), "utf8");
    expect(Object.keys((JSON.parse(durations) as { cases: object }).cases)).toHaveLength(18);
    const again = await runShards(4, { ...project, ".kindlm/durations.json": durations });
    const merged = await runCli(["merge", again.artifacts, ...reporter], { cwd });
    expect(merged.stderr).not.toContain("✗ Shard");
    expect(reportIn(cwd)).toMatchObject({ summary: { total: 22 } });
    const mixed = await runCli(["merge", join(first.artifacts, "shard-1"), join(again.artifacts, "shard-2")], { cwd });
    expect(mixed.stderr).toContain("were split by different durations");
  });
});

describe("--shard", () => {
  it("passes where no case falls on a shard, unless no shard has any", async () => {
    const { artifacts, outcomes } = await runShards(3, single("hello"));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(outcomes.filter(({ stdout }) => stdout.includes(": no case of 1 case."))).toHaveLength(2);
    const cwd = makeProject(single("hello"));
    expect((await runCli(["merge", artifacts], { cwd })).code).toBe(0);
    const none = await runCli(["test", "--shard", "1/2", "-t", "unheard"], { cwd });
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('No case matches "unheard"')]);
  });

  it("lists what a shard would run, after filters, and reads what the CI system says", async () => {
    const cwd = makeProject(project);
    const list = async (args: readonly string[], env: Record<string, string> = {}): Promise<string[]> => {
      const { code, stdout, stderr } = await runCli(["test", "--list", ...args], { cwd, env });
      expect(code, stderr).toBe(0);
      return stdout.split("\n").filter((line) => line !== "");
    };
    const all = await list([]);
    const parts = await Promise.all([1, 2, 3].map((index) => list(["--shard", `${index}/3`])));
    expect(parts.flat().toSorted()).toEqual(all.toSorted());
    expect(all).toHaveLength(22);
    expect(await list(["--shard", "auto"], { CI_NODE_INDEX: "2", CI_NODE_TOTAL: "3" })).toEqual(parts[1]);
    const filtered = await list(["--shard", "2/3", "-t", "orders"]);
    expect(filtered).toEqual(parts[1]?.filter((line) => line.includes("orders")));
  });

  it.each([
    [["--shard", "0/4"], "✗ Shards start at 1, not 0\n  Write --shard 1/4\n"],
    [["--shard", "5/4"], "✗ Shard 5 of 4 does not exist\n  The last is --shard 4/4\n"],
    [["--shard", "1-4"], '✗ "1-4" is not a shard\n  Use i/n, '],
    [["--shard", "1.5/2"], '✗ "1.5/2" is not a shard\n  Use i/n, '],
    [["--shard", "1/2", "--shard-durations", "none.json"], "✗ Cannot read none.json"],
  ])("says what is wrong with %j", async (args, words) => {
    const { code, stdout, stderr } = await runCli(["test", ...args], { cwd: makeProject(single("hello")) });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(words);
  });

  it("goes on with a shard that was cut off, and with no other", async () => {
    const cwd = makeProject(single("hello", `[{ name: a, input: hi, ${check} }, { name: b, input: hi, ${check} }]`));
    await runCli(["test", "--shard", "2/2"], { cwd });
    const [id = ""] = runIds(join(cwd, ".kindlm/runs"));
    await rm(join(cwd, ".kindlm/runs", id, "run.json"));
    const other = await runCli(["test", "--resume", "--shard", "1/2"], { cwd });
    expect(other.stderr).toContain("The run was started as shard 2/2, and cannot continue as another part");
    const resumed = await runCli(["test", "--resume", "--reporter", "json"], { cwd });
    expect(JSON.parse(resumed.stdout)).toMatchObject({ run: { id, resumed: 1, shard: { index: 2, of: 2 } } });
  });
});
