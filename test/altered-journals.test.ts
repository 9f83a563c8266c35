import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";

const project = `version: 1
models: [{ id: m, provider: scripted, script: { otherwise: { text: hello } } }]
suites:
  - name: s
    tests: [{ name: t, input: hi, runs: 2, assert: [{ type: contains, value: hello }] }]
`;

function journalIn(cwd: string): string {
  const runs = join(cwd, ".kindlm", "runs");
  return join(runs, readdirSync(runs).toSorted().at(-1) ?? "", "journal.jsonl");
}

/** A project with a finished run, one of whose files somebody has edited. */
async function afterEdit(
  file: "journal.jsonl" | "run.json",
  edit: (content: string) => string,
  options: readonly string[] = [],
): Promise<string> {
  const cwd = makeProject({ "kindlm.yaml": project });
  expect(await runCli(["test", ...options], { cwd })).toMatchObject({ code: 0 });
  const path = join(journalIn(cwd), "..", file);
  const content = readFileSync(path, "utf8");
  const edited = edit(content);
  expect(edited).not.toBe(content);
  writeFileSync(path, edited);
  return cwd;
}

describe("a journal that somebody has edited", () => {
  it.each([
    ["a type", '"latencyMs":', '"latencyMs":"soon","was":', "trial.latencyMs must be a number"],
    [
      "a verdict",
      '"status":"passed"',
      '"status":"splendid"',
      'trial.status must be one of "passed", "failed", "errored"',
    ],
    ["a key", '"toolCalls":', '"calls":', "trial.toolCalls must be a list"],
    ["a part of a part", '"inputTokens":', '"tokens":', "inputTokens must be a whole number"],
  ])("is not believed: %s", async (_, from, to, says) => {
    const edit = (content: string): string => content.replace(from, to);
    const cwd = await afterEdit("journal.jsonl", edit);
    // A merge reads the journals of shards alone.
    const shard = await afterEdit("journal.jsonl", edit, ["--shard", "1/1"]);
    for (const args of [["report"], ["test", "--resume", "last"], ["merge", ".kindlm/runs"]]) {
      const ran = await runCli(args, { cwd: args[0] === "merge" ? shard : cwd });
      const told = ran.stdout + ran.stderr;
      expect(ran.code, `${args[0]}: ${told}`).not.toBe(0);
      expect(told, args[0]).toContain("journal.jsonl is damaged at line 2: ");
      expect(told, args[0]).toContain(says);
    }
    const scored = await runCli(["score", journalIn(cwd)], { cwd });
    expect(scored.code).not.toBe(0);
    expect(scored.stdout + scored.stderr).toContain("The line is not a record of a journal: ");
    expect(scored.stdout + scored.stderr).toContain(says);
  });

  it("is not read if another version of KindLM wrote it", async () => {
    const cwd = await afterEdit("journal.jsonl", (content) => content.replace(/"version":\d+/, '"version":1'));
    for (const args of [["report"], ["test", "--resume", "last"], ["score", journalIn(cwd)]]) {
      const ran = await runCli(args, { cwd });
      expect(ran.code).not.toBe(0);
      expect(ran.stdout + ran.stderr, args[0]).toContain("written by another version of KindLM");
    }
  });
});

describe("a run.json that somebody has edited", () => {
  it.each([
    ["a type", '"exitCode":0', '"exitCode":"0"', "head.exitCode must be one of 0, 1"],
    ["a number of a case", '"passes":2', '"passes":"all"', "suites[0].tests[0].passes must be a whole number"],
  ])("is not believed: %s", async (_, from, to, says) => {
    const cwd = await afterEdit("run.json", (content) => content.replace(from, to));
    const ran = await runCli(["report"], { cwd });
    expect(ran.code).not.toBe(0);
    expect(ran.stdout + ran.stderr).toContain(`run.json is damaged: ${says}`);
  });

  it("is not read if another version of KindLM wrote it", async () => {
    const cwd = await afterEdit("run.json", (content) => content.replace(/"version":\d+/, '"version":1'));
    const ran = await runCli(["report"], { cwd });
    expect(ran.code).not.toBe(0);
    expect(ran.stdout + ran.stderr).toContain("run.json was written by another version of KindLM");
  });
});
