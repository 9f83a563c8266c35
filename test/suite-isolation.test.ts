import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject, type ProjectFiles } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";

const check = "assert: [{ type: contains, value: hello }]";
const offline = "{ id: offline, provider: scripted, script: { otherwise: { text: hello } } }";

/** A config whose one suite is valid, with more of it where it is asked for. */
const config = (name: string, { models = "", top = "", suites = "", test = "" } = {}): string => `version: 1
models:
  - ${offline}
${models}
${top}
suites:
  - name: ${name}
    models: [offline]
    tests:
      - { name: greets, input: hi, ${test} ${check} }
${suites}`;

const suite = (name: string, more: string, test = ""): string =>
  `  - { name: ${name}, ${more}, tests: [{ name: t, input: hi, ${test} ${check} }] }\n`;

/** What is broken, the project, and what is to be said. The suite "good" is valid in all of them. */
const broken: readonly [string, ProjectFiles, string][] = [
  ["a file that is no YAML", { "b.kindlm.yaml": "version: 1\nsuites: [\n" }, "Invalid YAML"],
  ["a file with nothing in it", { "b.kindlm.yaml": "" }, "The config file is empty"],
  ["a file that is no mapping", { "b.kindlm.yaml": "- 1\n" }, "A config must be an object"],
  ["a file of bytes", { "b.kindlm.yaml": new Uint8Array([0xff, 0xfe, 0x00]) }, "is not UTF-8 text"],
  ["an unknown key at the top of a file", { "b.kindlm.yaml": config("b", { top: "retrie: default" }) }, "retrie"],
  ["a gate that is none", { "b.kindlm.yaml": config("b", { top: "gates: { pass_rate: 7 }" }) }, "pass_rate"],
  ["a plugin that is not there", { "b.kindlm.yaml": config("b", { top: "plugins: [./no.js]" }) }, "not found"],
  [
    "a default assertion that is none",
    { "b.kindlm.yaml": config("b", { top: "defaults: { assert: [{ type: contain, value: x }] }" }) },
    "Unknown assertion type",
  ],
  ["a .env that is a folder", { "b/kindlm.yaml": config("b"), "b/.env/x": "" }, ".env is a folder"],
  ["a pattern without a file", { "b.kindlm.yaml": `version: 1\nsuites: ["no/*.yaml"]\n` }, "No file matches"],
  ["a suite file that is not there", { "b.kindlm.yaml": "version: 1\nsuites: [no.yaml]\n" }, 'Suite file "no.yaml"'],
  ["a name that another file has", { "b.kindlm.yaml": config("good") }, 'The suite name "good" is already used'],
  [
    "settings of the run that contradict another file",
    {
      "a.kindlm.yaml": config("good", { top: "defaults: { concurrency: 2 }" }),
      "b.kindlm.yaml": config("b", { top: "defaults: { concurrency: 3 }" }),
    },
    "holds for the whole run",
  ],
  [
    "a model of an unknown provider",
    {
      "a.kindlm.yaml": config("good", {
        models: "  - { id: gpt, provider: opnai }",
        suites: suite("b", "models: [gpt]"),
      }),
    },
    'Unknown provider "opnai"',
  ],
  [
    "a model of a provider that is not valid",
    {
      "a.kindlm.yaml": config("good", {
        top: "providers: { mine: { type: openai, base_url: 7 } }",
        suites: suite("b", "models: ['mine:gpt']"),
      }),
    },
    "base_url",
  ],
  [
    "a model without its script",
    {
      "a.kindlm.yaml": config("good", {
        models: "  - { id: gone, provider: scripted, script: no.yaml }",
        suites: suite("b", "models: [offline]", "models: [gone],"),
      }),
    },
    'script "no.yaml" not found',
  ],
  [
    "a script that is no YAML",
    {
      "a.kindlm.yaml": config("good", {
        models: "  - { id: torn, provider: scripted, script: torn.yaml }",
        suites: suite("b", "models: [torn]"),
      }),
      "torn.yaml": "rules: [\n",
    },
    "Invalid YAML",
  ],
  [
    "a model that holds a key",
    {
      "a.kindlm.yaml": config("good", {
        models: `  - { id: open, provider: openai, model: sk-${"a1B2".repeat(12)} }`,
        suites: suite("b", "models: [open]"),
      }),
    },
    "looks like a secret",
  ],
  [
    "a model with a fallback that is not there",
    {
      "a.kindlm.yaml": config("good", {
        models: "  - { id: gpt, provider: openai, model: x, fallback: [gone] }",
        suites: suite("b", "models: [gpt]"),
      }),
    },
    'Unknown model "gone"',
  ],
  [
    "a model that stands twice",
    {
      "a.kindlm.yaml": config("good", {
        models: "  - { id: gpt, provider: openai, model: x }\n  - { id: gpt, provider: openai, model: y }",
        suites: suite("b", "models: [gpt]"),
      }),
    },
    'The model ID "gpt" is already used',
  ],
  [
    "a model that no suite uses",
    { "a.kindlm.yaml": config("good", { models: "  - { id: gpt, provider: opnai }" }) },
    'Unknown provider "opnai"',
  ],
  [
    "a default judge that one suite asks",
    {
      "a.kindlm.yaml": config("good", {
        top: "defaults: { judge: gone }",
        suites: suite("b", "models: [offline], assert: [{ type: judge, criteria: Polite }]"),
      }),
    },
    'Unknown model "gone"',
  ],
  [
    "default models that one suite takes",
    { "a.kindlm.yaml": config("good", { top: "defaults: { models: [gone] }", suites: suite("b", "tags: [x]") }) },
    'Unknown model "gone"',
  ],
  [
    "the model of a simulated user",
    {
      "a.kindlm.yaml": config("good", {
        models: "  - { id: gone, provider: scripted, script: no.yaml }",
        suites: suite("b", "models: [offline]", "simulated_user: { model: gone, goal: none },"),
      }),
    },
    'script "no.yaml" not found',
  ],
  [
    "a dataset that is not there",
    { "a.kindlm.yaml": config("good", { suites: suite("b", "models: [offline]", "dataset: no.csv,") }) },
    'dataset "no.csv" not found',
  ],
  [
    "a system prompt that is not there",
    { "a.kindlm.yaml": config("good", { suites: suite("b", "models: [offline], system_prompt_file: no.md") }) },
    "no.md",
  ],
];

interface Report {
  verdict: string;
  exitCode: number;
  summary: { failed: number; errored: number };
  suites: { name: string; status: string; error?: { message: string }; tests: { id: string; status: string }[] }[];
  comparison: unknown;
}

const reported = (stdout: string): Report => JSON.parse(stdout) as Report;

describe("what is broken keeps nothing else from running", () => {
  it.each(broken)("%s", async (_name, files, words) => {
    const cwd = makeProject({ "a.kindlm.yaml": config("good"), ...files });
    const ran = await runCli(["test", ".", "--reporter", "json"], { cwd });
    expect(ran.code).toBe(1);
    const { suites, verdict, exitCode, summary } = reported(ran.stdout);
    expect({ verdict, exitCode, failed: summary.failed, errored: summary.errored }).toEqual({
      verdict: "failed",
      exitCode: 1,
      failed: 0,
      errored: 0,
    });
    const good = suites.find(({ name, status }) => name === "good" && status === "run");
    expect(good?.tests).toMatchObject([{ id: "good/greets@offline", status: "passed" }]);
    const skipped = suites.filter(({ status }) => status === "skipped");
    expect(skipped).toHaveLength(1);
    expect(skipped[0]?.tests.every(({ status }) => status === "skipped")).toBe(true);
    expect(skipped[0]?.error?.message).toContain(words);

    const report = await runCli(["report", "--reporter", "pretty", "--reporter", "junit=out.xml"], { cwd });
    expect(report.stdout).toContain("SKIPPED  1 suite");
    expect(report.stdout).toContain(words);

    const validated = await runCli(["validate", "."], { cwd });
    expect(validated.code).toBe(1);
    expect(validated.stderr).toContain(words);
    expect(validated.stderr.match(/^✗/gm)).toHaveLength(1);

    const listed = await runCli(["test", ".", "--list"], { cwd });
    expect(listed.code).toBe(skipped[0]?.tests.length === 0 ? 1 : 0);
    expect(listed.stdout).toContain("good/greets@offline\n");
    expect(listed.stderr).toContain(words);
  });

  it("but a run without a valid suite does not begin", async () => {
    const cwd = makeProject({ "a.kindlm.yaml": "version: 1\nsuites: [\n", "b.kindlm.yaml": "" });
    const ran = await runCli(["test", ".", "--reporter", "json"], { cwd });
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toContain("Invalid YAML");
    expect(ran.stderr).toContain("The config file is empty");
  });

  it("is part of one shard, and of what the shards come to", async () => {
    const cwd = makeProject({ "a.kindlm.yaml": config("good"), "b.kindlm.yaml": "suites: [\n" });
    for (const shard of ["1/2", "2/2"]) await runCli(["test", ".", "--shard", shard], { cwd });
    const listed = await runCli(["runs", "list", "--json"], { cwd });
    const ids = (JSON.parse(listed.stdout) as { id: string }[]).map(({ id }) => `.kindlm/runs/${id}`);
    const merged = await runCli(["merge", ...ids, "--reporter", "json"], { cwd });
    expect(merged.code).toBe(1);
    expect(reported(merged.stdout).suites.map(({ name, status }) => [name, status])).toEqual([
      ["good", "run"],
      ["b.kindlm.yaml", "skipped"],
    ]);
  });
});

describe("once it is mended", () => {
  const mended = config("mended");

  it("--resume runs what could not run, and nothing else", async () => {
    const cwd = makeProject({ "a.kindlm.yaml": config("good"), "b.kindlm.yaml": "suites: [\n" });
    expect((await runCli(["test", "."], { cwd })).code).toBe(1);
    writeFileSync(join(cwd, "b.kindlm.yaml"), mended);
    const resumed = await runCli(["test", "--resume", "--reporter", "json"], { cwd });
    expect(resumed.code).toBe(0);
    const { suites, summary } = reported(resumed.stdout);
    expect(suites.map(({ name, status }) => [name, status])).toEqual([
      ["good", "run"],
      ["mended", "run"],
    ]);
    expect(summary).toMatchObject({ total: 2, passed: 2 });
    expect(resumed.stderr).not.toContain("Invalid YAML");
  });

  it("--rerun-failed runs what could not run", async () => {
    const torn = config("good", { suites: suite("late", "models: [offline], system_prompt_file: late.md") });
    const cwd = makeProject({ "kindlm.yaml": torn });
    expect((await runCli(["test"], { cwd })).code).toBe(1);
    writeFileSync(join(cwd, "late.md"), "Be kind");
    const rerun = await runCli(["test", "--rerun-failed", "--reporter", "json"], { cwd });
    expect(rerun.code).toBe(0);
    expect(reported(rerun.stdout).suites.flatMap(({ tests }) => tests.map(({ id }) => id))).toEqual(["late/t@offline"]);
  });

  it("a baseline of its suite is as it was", async () => {
    const cwd = makeProject({ "a.kindlm.yaml": config("good"), "b.kindlm.yaml": mended });
    await runCli(["test", "."], { cwd });
    await runCli(["baseline", "set"], { cwd });
    writeFileSync(join(cwd, "b.kindlm.yaml"), "suites: [\n");
    const ran = await runCli(["test", ".", "--reporter", "json"], { cwd });
    expect(reported(ran.stdout).comparison).toMatchObject({ verdict: "ok", suites: [{ suite: "good" }] });
    rmSync(join(cwd, "b.kindlm.yaml"));
    writeFileSync(join(cwd, "b.kindlm.yaml"), mended);
    const again = await runCli(["test", ".", "--reporter", "json"], { cwd });
    expect(again.code).toBe(0);
    expect(reported(again.stdout).comparison).toMatchObject({ suites: [{ suite: "good" }, { suite: "mended" }] });
  });
});
