import { cp, mkdir, readdir, rename, rm } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withoutVolatileFields } from "../packages/core/src/reporters/json/volatile-fields.js";
import { makeProject, type ProjectFiles } from "./support/make-project.js";
import { runCli, type CliOutcome } from "./support/run-cli.js";

const check = "assert: [{ type: contains, value: hello }]";

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

const single = (text: string, tests = `[{ name: t, input: hi, ${check} }]`): ProjectFiles => ({
  "kindlm.yaml": `version: 1
models: [{ id: m, provider: scripted, script: s.yaml }]
suites: [{ name: s, tests: ${tests} }]
`,
  "s.yaml": `otherwise: { text: ${text} }`,
});

interface Jobs {
  /** Where the run folders of all shards are, as a CI system collects them. */
  artifacts: string;
  /** What each shard printed. */
  outcomes: readonly CliOutcome[];
}

/** Runs every shard in a checkout of its own, as CI jobs do. */
async function runShards(of: number, files: ProjectFiles, args: readonly string[] = []): Promise<Jobs> {
  const artifacts = makeProject({});
  const outcomes: CliOutcome[] = [];
  for (let index = 1; index <= of; index += 1) {
    const cwd = makeProject(files);
    outcomes.push(await runCli(["test", "--shard", `${index}/${of}`, ...args], { cwd }));
    await rename(join(cwd, ".kindlm"), join(artifacts, `shard-${index}`));
  }
  return { artifacts, outcomes };
}

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

describe("kindlm merge", () => {
  it("refuses what is not every shard of one run, each once, and says which", async () => {
    const { artifacts } = await runShards(
      3,
      single("hello", `[{ name: a, input: hi, ${check} }, { name: b, input: hi, ${check} }]`),
    );
    const folder = (index: number): string => join(artifacts, `shard-${index}`);
    const cwd = makeProject(single("hello"));
    const merge = async (...runs: readonly string[]): Promise<string> => {
      const { code, stderr, stdout } = await runCli(["merge", ...runs], { cwd });
      expect([code, stdout]).toEqual([1, ""]);
      return stderr;
    };
    expect(await merge(folder(1), folder(3))).toBe(
      "✗ Shard 2 of 3 is missing\n  Name its run folder too, or run kindlm test --shard 2/3\n",
    );
    expect(await merge(artifacts, folder(2))).toContain("✗ Shard 2 of 3 is there twice: ");
    const other = await runShards(
      3,
      single("other", `[{ name: a, input: hi, ${check} }, { name: b, input: hi, ${check} }]`),
    );
    expect(await merge(folder(1), folder(2), join(other.artifacts, "shard-3"))).toContain(
      "but not the same tests in them",
    );
    const seeded = await runShards(1, single("hello"), ["--seed", "7"]);
    expect(await merge(folder(1), seeded.artifacts)).toContain("are not of the same split");
    const whole = makeProject(single("hello"));
    await runCli(["test"], { cwd: whole });
    const [run = ""] = await readdir(join(whole, ".kindlm/runs"));
    expect(await merge(artifacts, join(whole, ".kindlm/runs", run))).toContain("is a whole run, and no shard of one");
    // One that is only found is passed over.
    await cp(join(whole, ".kindlm"), join(artifacts, "more"), { recursive: true });
    expect((await runCli(["merge", artifacts], { cwd })).code).toBe(0);
    const [unfinished = ""] = await readdir(join(folder(2), "runs"));
    await rm(join(folder(2), "runs", unfinished, "run.json"));
    expect(await merge(artifacts)).toContain(`✗ Shard 2 of 3 never came to its end: `);
    expect(await merge("nowhere")).toContain("There is no run nowhere");
    await mkdir(join(cwd, "empty"));
    expect(await merge("empty")).toContain("There is no run in empty");
  });

  it("takes the ids of runs, and fails with the shard that failed", async () => {
    const cwd = makeProject(
      single(
        "goodbye",
        `[{ name: a, input: hi, ${check} }, { name: b, input: hi, assert: [{ type: contains, value: goodbye }] }]`,
      ),
    );
    const [one, two] = [
      await runCli(["test", "--shard", "1/2"], { cwd }),
      await runCli(["test", "--shard", "2/2"], { cwd }),
    ];
    expect([one.code, two.code]).toEqual(expect.arrayContaining([0, 1]));
    const ids = await readdir(join(cwd, ".kindlm/runs"));
    const merged = await runCli(["merge", ...ids], { cwd });
    expect(merged.stdout).toContain("Summary: 1 passed, 1 failed");
    expect(merged.code).toBe(1);
  });

  it("lets the gates decide about all cases together", async () => {
    const tests = `[{ name: a, input: hi, ${check} }, { name: b, input: hi, assert: [{ type: contains, value: goodbye }] }]`;
    const files = single("hello", tests);
    const gated = (rate: number): ProjectFiles => ({
      ...files,
      "kindlm.yaml": `${String(files["kindlm.yaml"])}gates: { pass_rate: ${rate} }\nexit_on: gates\n`,
    });
    for (const [rate, code] of [
      [0.5, 0],
      [0.6, 1],
    ] as const) {
      const { artifacts, outcomes } = await runShards(2, gated(rate));
      // No shard knows the rate of the whole run.
      expect(outcomes.map((outcome) => outcome.code)).toEqual([0, 0]);
      const merged = await runCli(["merge", artifacts], { cwd: makeProject(files) });
      expect(merged.code, merged.stdout).toBe(code);
      expect(merged.stdout).toContain("pass_rate is 50 %");
    }
  });

  it("warns when it can not keep the merged run; the verdict stands", async () => {
    const { artifacts } = await runShards(2, single("hello"));
    const cwd = makeProject({ ...single("hello"), ".kindlm": "in the way" });
    const merged = await runCli(["merge", artifacts], { cwd });
    expect(merged.stderr).toContain("⚠ Can not write");
    expect(merged.stdout).toContain("Summary: 1 passed");
    expect(merged.code).toBe(0);
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
    expect([none.code, none.stdout]).toEqual([1, expect.stringContaining("no test ran")]);
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
    [["--shard", "0/4"], "✗ There is no shard 0: the first is 1\n  Write --shard 1/4\n"],
    [["--shard", "5/4"], "✗ There is no shard 5 of 4\n  The last is --shard 4/4\n"],
    [["--shard", "1-4"], '✗ "1-4" is no shard\n  Write i/n: '],
    [["--shard", "1.5/2"], '✗ "1.5/2" is no shard\n  Write i/n: '],
    [["--shard", "1/2", "--shard-durations", "none.json"], "✗ Can not read none.json"],
  ])("says what is wrong with %j", async (args, words) => {
    const { code, stdout, stderr } = await runCli(["test", ...args], { cwd: makeProject(single("hello")) });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(words);
  });

  it("goes on with a shard that was cut off, and with no other", async () => {
    const cwd = makeProject(single("hello", `[{ name: a, input: hi, ${check} }, { name: b, input: hi, ${check} }]`));
    await runCli(["test", "--shard", "2/2"], { cwd });
    const [id = ""] = await readdir(join(cwd, ".kindlm/runs"));
    await rm(join(cwd, ".kindlm/runs", id, "run.json"));
    const other = await runCli(["test", "--resume", "--shard", "1/2"], { cwd });
    expect(other.stderr).toContain("The run was begun as shard 2/2, and can not go on as another part");
    const resumed = await runCli(["test", "--resume", "--reporter", "json"], { cwd });
    expect(JSON.parse(resumed.stdout)).toMatchObject({ run: { id, resumed: 1, shard: { index: 2, of: 2 } } });
  });
});
