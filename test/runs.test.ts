import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { journalVersion } from "../packages/core/src/journal/journal-record.js";
import { runCli } from "./support/run-cli.js";

const config = `version: 1
project: acme
models: [{ id: m, provider: scripted, script: { otherwise: { text: hello } } }]
suites:
  - name: s
    tests:
      - { name: a, input: x, assert: [{ type: contains, value: hello }] }
      - { name: b, input: y, assert: [{ type: contains, value: goodbye }] }
      - { name: c, input: z, skip: later, assert: [{ type: contains, value: hello }] }
`;

interface Listed {
  id: string;
  state: string;
  verdict: string | null;
  counts: Record<string, number> | null;
  bytes: number;
}

const runsIn = (cwd: string): string => join(cwd, ".kindlm", "runs");
const idsIn = (cwd: string): string[] => readdirSync(runsIn(cwd)).filter((name) => !name.startsWith("."));

async function list(cwd: string, ...flags: string[]): Promise<readonly Listed[]> {
  const listed = await runCli(["runs", "list", "--json", ...flags], { cwd });
  expect({ code: listed.code, stderr: listed.stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(listed.stdout) as Listed[];
}

/** The folders of so many runs that began a day after one another, the last of them yesterday; the newest first. */
function pretendRuns(cwd: string, count: number): string[] {
  const ids = Array.from({ length: count }, (_, back) => {
    const startedAt = new Date(Date.now() - (back + 1) * 86_400_000).toISOString();
    return `${startedAt.replaceAll(/[-:.Z]/g, "").replace("T", "-")}-${String(back).padStart(6, "0")}`;
  });
  for (const id of ids) {
    mkdirSync(join(runsIn(cwd), id), { recursive: true });
    const startedAt = new Date().toISOString();
    const asked = { seed: 1, project: null, files: [], options: { paths: [] } };
    const header = { kind: "run", version: journalVersion, kindlm: "0.1.0", runId: id, startedAt, ...asked };
    writeFileSync(join(runsIn(cwd), id, "journal.jsonl"), `${JSON.stringify(header)}\n`);
  }
  return ids;
}

describe("kindlm runs", () => {
  it("reports each run what became of it, the newest first, in 80 columns", async () => {
    const cwd = makeProject({ "kindlm.yaml": config });
    expect((await runCli(["runs"], { cwd })).stdout).toBe("No runs yet. Start one: kindlm test\n");
    for (const flags of [[], ["-t", "s/a"], [], []]) await runCli(["test", ...flags], { cwd });
    const [damaged = "", unfinished = "", passed = "", failed = ""] = idsIn(cwd).toSorted().toReversed();
    rmSync(join(runsIn(cwd), unfinished, "run.json"));
    writeFileSync(join(runsIn(cwd), damaged, "journal.jsonl"), "not a journal\n");
    const listed = await list(cwd);
    const counts = { total: 3, passed: 1, failed: 1, errored: 0, skipped: 1 };
    expect(listed.map(({ id, state, verdict }) => ({ id, state, verdict }))).toEqual([
      { id: damaged, state: "damaged", verdict: "failed" },
      { id: unfinished, state: "unfinished", verdict: null },
      { id: passed, state: "finished", verdict: "passed" },
      { id: failed, state: "finished", verdict: "failed" },
    ]);
    expect(listed[1]).toMatchObject({ counts: null, durationMs: null, costUsd: null, project: "acme", seed: 1 });
    expect(listed[3]).toMatchObject({ counts, costUsd: 0, project: "acme", shard: null });
    const files = ["journal.jsonl", "run.json"].map((name) => statSync(join(runsIn(cwd), failed, name)).size);
    expect(listed[3]?.bytes).toBe((files[0] ?? 0) + (files[1] ?? 0));
    const table = await runCli(["runs"], { cwd });
    const lines = table.stdout.split("\n");
    expect(lines.map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
      ["RUN", "STATE", "PASSED"],
      [damaged, "damaged", "1/2"],
      [unfinished, "unfinished", expect.any(String)],
      [passed, "passed", "1/1"],
      [failed, "failed", "1/2"],
      [""],
      [expect.stringMatching(/^4 runs, [\d.]+ kB$/)],
      [""],
    ]);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it.each([
    ["passed", ["-t", "s/a"], ["Show its results: kindlm report <id>"]],
    [
      "failed",
      [],
      ["Show its results:  kindlm report <id>", "Rerun what failed: kindlm test --rerun-failed --run <id>"],
    ],
  ])("shows a run that %s, and what can be done with it", async (state, flags, steps) => {
    const cwd = makeProject({ "kindlm.yaml": config });
    await runCli(["test", ...flags], { cwd });
    const [id = ""] = idsIn(cwd);
    const shown = await runCli(["runs", "show", id.slice(0, -3), "--root", "."], { cwd });
    expect(shown.stdout).toContain(`Run ${id}\n  state    ${state}\n  project  acme\n`);
    expect(shown.stdout.split("\n\n")[1]).toBe(steps.map((step) => `${step.replace("<id>", id)} --root .\n`).join(""));
    const asJson = await runCli(["runs", "show", "--json"], { cwd });
    expect(JSON.parse(asJson.stdout)).toEqual((await list(cwd))[0]);
  });

  it("says how to go on with a run that was cut off", async () => {
    const cwd = makeProject({ "kindlm.yaml": config });
    const [id = ""] = pretendRuns(cwd, 1);
    const shown = await runCli(["runs", "show"], { cwd });
    expect(shown.stdout).toContain(`\n\nResume it: kindlm test --resume --run ${id}\n`);
  });

  it.each([
    { args: ["lsit"], says: '✗ Unknown command "kindlm runs lsit"\n  Did you mean "list"?\n' },
    { args: ["everything"], says: '✗ Unknown command "kindlm runs everything"\n  Commands: list, show, prune\n' },
    {
      args: ["prune"],
      says: "✗ kindlm runs prune needs --keep or --older-than\n  Run: kindlm runs prune --keep 20 --older-than 30d\n",
    },
    { args: ["--keep", "3"], says: "✗ kindlm runs list has no option --keep\n  Commands with this option: prune\n" },
    {
      args: ["prune", "x", "--keep", "3"],
      says: '✗ Unexpected argument "x" after kindlm runs prune\n  Run: kindlm runs show x\n',
    },
    { args: ["prune", "--older-than", "3"], says: "It must be an age such as 12h, 30d or 4w" },
    { args: ["prune", "--keep", "-1"], says: "It must be a whole number of at least 0" },
    { args: ["show", "nope"], says: '✗ Run "nope" not found\n  Run: kindlm runs list\n' },
    {
      args: ["show", "2"],
      says: "✗ 2 runs start with 2\n  Use a longer prefix of the ID; kindlm runs lists all runs\n",
    },
  ])("refuses $args, and says what to write instead", async ({ args, says }) => {
    const cwd = makeProject({ "kindlm.yaml": config });
    pretendRuns(cwd, 2);
    const refused = await runCli(["runs", ...args], { cwd });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(says);
  });
});

describe("kindlm runs prune", () => {
  it.each([
    { flags: ["--keep", "3"], stays: [0, 1, 2] },
    { flags: ["--older-than", "36h"], stays: [0] },
    { flags: ["--keep", "3", "--older-than", "36h"], stays: [0, 1, 2] },
    { flags: ["--keep", "0", "--older-than", "4w"], stays: [0, 1, 2, 3, 4] },
    { flags: ["--keep", "0"], stays: [] },
  ])("with $flags leaves $stays of five runs", async ({ flags, stays }) => {
    const cwd = makeProject({ "kindlm.yaml": config });
    const ids = pretendRuns(cwd, 5);
    const left = stays.map((at) => ids[at]);
    const gone = ids.filter((id) => !left.includes(id)).toReversed();
    const rehearsed = await runCli(["runs", "prune", ...flags, "--dry-run", "--json"], { cwd });
    expect(JSON.parse(rehearsed.stdout)).toMatchObject({ dryRun: true, removed: gone, failed: [] });
    expect(idsIn(cwd).toSorted().toReversed()).toEqual(ids);
    const pruned = await runCli(["runs", "prune", ...flags], { cwd });
    expect(pruned.code).toBe(0);
    expect(pruned.stdout).toContain(gone.length === 0 ? "No run to remove\n" : `Removed ${gone.length} run`);
    expect(idsIn(cwd).toSorted().toReversed()).toEqual(left);
  });

  it("never removes a run that a process is at work on, nor a folder that somebody named", async () => {
    const cwd = makeProject({ "kindlm.yaml": config });
    const [newest = "", mine = "", dead = "", elsewhere = "", gone = ""] = pretendRuns(cwd, 5);
    mkdirSync(join(runsIn(cwd), "before-the-release"));
    const lock = (id: string, pid: number, host: string): void =>
      writeFileSync(join(runsIn(cwd), id, "lock"), `${JSON.stringify({ pid, host, startedAt: "" })}\n`);
    lock(mine, process.ppid, hostname());
    lock(dead, 2 ** 22 + 1, hostname());
    lock(elsewhere, 1, "another.machine.example");
    expect((await list(cwd)).map(({ state }) => state)).toEqual([
      "damaged",
      "unfinished",
      "running",
      "unfinished",
      "running",
      "unfinished",
    ]);
    const pruned = await runCli(["runs", "prune", "--keep", "1", "--json"], { cwd });
    expect(JSON.parse(pruned.stdout)).toMatchObject({ removed: [gone, dead], failed: [] });
    expect(idsIn(cwd).toSorted()).toEqual([elsewhere, mine, newest, "before-the-release"]);
  });
});

describe("keep_runs", () => {
  it.each([
    { keep: "keep_runs: 3\n", count: 5, left: 3 },
    { keep: "keep_runs: all\n", count: 101, left: 102 },
    { keep: "", count: 101, left: 100 },
  ])("($keep) lets the oldest runs go when one has ended", async ({ keep, count, left }) => {
    const cwd = makeProject({ "kindlm.yaml": config.replace("project", `${keep}project`) });
    const ids = pretendRuns(cwd, count);
    await runCli(["test"], { cwd });
    const now = idsIn(cwd).toSorted().toReversed();
    expect(now).toHaveLength(left);
    expect(now.slice(1)).toEqual(ids.slice(0, left - 1));
  });

  it("never lets a run go that is at work, nor the one that has just gone on", async () => {
    const cwd = makeProject({ "kindlm.yaml": config.replace("project", "keep_runs: 1\nproject") });
    await runCli(["test"], { cwd });
    const [own = ""] = idsIn(cwd);
    const renamed = own.replace(/^\d{8}/, "20200101");
    const journal = readFileSync(join(runsIn(cwd), own, "journal.jsonl"), "utf8");
    rmSync(join(runsIn(cwd), own), { recursive: true });
    const [newest = "", atWork = ""] = pretendRuns(cwd, 3);
    const lock = { pid: process.ppid, host: hostname(), startedAt: "" };
    writeFileSync(join(runsIn(cwd), atWork, "lock"), JSON.stringify(lock));
    mkdirSync(join(runsIn(cwd), renamed));
    appendFileSync(join(runsIn(cwd), renamed, "journal.jsonl"), journal);
    const ran = await runCli(["test", "--run", renamed], { cwd });
    expect(ran.stdout).toContain("Summary: 1 passed, 1 failed");
    expect(idsIn(cwd).toSorted()).toEqual([renamed, atWork, newest]);
    expect(existsSync(join(runsIn(cwd), renamed, "run.json"))).toBe(true);
  });

  it.each([
    ["0", '"keep_runs" must be at least 1'],
    ["many", '"keep_runs" must be a number or "all"'],
  ])("cannot be %s", async (written, says) => {
    const cwd = makeProject({ "kindlm.yaml": config.replace("project", `keep_runs: ${written}\nproject`) });
    const refused = await runCli(["test"], { cwd });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(says);
  });
});
