import { execFileSync } from "node:child_process";
import { createReadStream, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { makeProject, type ProjectFiles } from "../packages/core/src/__fixtures__/make-project.js";
import { runProcess } from "./support/start-cli.js";
import { runCli } from "./support/run-cli.js";

const check = "assert: [{ type: contains, value: hello }]";
const config = (
  test: string,
  { model = "script: { otherwise: { text: hello } }", top = "", suite = "" } = {},
): string =>
  `version: 1
models: [{ id: m, provider: scripted, ${model} }]
${top}
suites: [{ name: s, ${suite} tests: [{ name: t, ${test} ${check} }] }]
`;
const plain = config("input: hi,");

/** Each kind of file that KindLM reads: its name in the project, the rest of the project, and the command. */
const read: readonly [what: string, file: string, files: ProjectFiles, args: readonly string[]][] = [
  ["a config", "kindlm.yaml", {}, ["test"]],
  ["a config in a folder", "kindlm.yaml", {}, ["test", "."]],
  ["a suite", "suite.yaml", { "kindlm.yaml": "version: 1\nsuites: [suite.yaml]\n" }, ["test"]],
  ["a script", "script.yaml", { "kindlm.yaml": config("input: hi,", { model: "script: script.yaml" }) }, ["test"]],
  ["a dataset", "rows.csv", { "kindlm.yaml": config("input: hi, dataset: rows.csv,") }, ["test"]],
  ["lines of a dataset", "rows.jsonl", { "kindlm.yaml": config("input: hi, dataset: rows.jsonl,") }, ["test"]],
  [
    "a prompt",
    "prompt.md",
    { "kindlm.yaml": config("input: hi,", { suite: "system_prompt_file: prompt.md," }) },
    ["test"],
  ],
  [
    "a picture",
    "a.png",
    { "kindlm.yaml": config("messages: [{ role: user, content: [{ type: image, file: a.png }] }],") },
    ["test"],
  ],
  [
    "a schema",
    "schema.json",
    { "kindlm.yaml": plain.replace(check, "assert: [{ type: schema, schema_file: schema.json }]") },
    ["test"],
  ],
  [
    "a module",
    "m.mjs",
    { "kindlm.yaml": plain.replace(check, "assert: [{ type: module, module: ./m.mjs }]") },
    ["test"],
  ],
  ["a plugin", "p.mjs", { "kindlm.yaml": config("input: hi,", { top: "plugins: [./p.mjs]" }) }, ["test"]],
  ["an environment", ".env", { "kindlm.yaml": plain }, ["test"]],
  ["durations", "times.json", { "kindlm.yaml": plain }, ["test", "--shard", "1/2", "--shard-durations", "times.json"]],
  [
    "a cassette",
    ".kindlm/cassettes/s/t.jsonl",
    { "kindlm.yaml": plain, ".kindlm/cassettes/s/x": "" },
    ["cassette", "list"],
  ],
  ["transcripts", "lines.jsonl", { "kindlm.yaml": plain }, ["score", "lines.jsonl"]],
  ["labels", "lines.jsonl", { "kindlm.yaml": plain }, ["judge", "calibrate", "lines.jsonl", "--model", "m"]],
];

describe("what is not a file is not read", () => {
  const inPipe = read.map(([what, file, files, args]) => ({
    what,
    file,
    files,
    args,
    pipe: join(makeProject(files), file),
  }));
  // To start a program for each pipe takes as long as all else.
  execFileSync(
    "mkfifo",
    inPipe.map(({ pipe }) => pipe),
  );

  it.each(inPipe)("$what", async ({ file, files, args, pipe }) => {
    const piped = pipe.slice(0, -file.length);
    const endless = makeProject(files);
    symlinkSync("/dev/zero", join(endless, file));
    for (const [cwd, reason] of [
      [piped, "is a pipe, not a file"],
      [endless, "is a device, not a file"],
    ] as const) {
      const ran = await runCli(args, { cwd });
      expect([ran.code, ran.stdout]).toEqual([1, ""]);
      expect(ran.stderr).toContain(reason);
    }
  });

  it("a baseline is said to be unusable, and the tests run", async () => {
    const cwd = makeProject({ "kindlm.yaml": plain, ".kindlm/baselines/x": "" });
    execFileSync("mkfifo", [join(cwd, ".kindlm/baselines/s.json")]);
    const ran = await runCli(["test"], { cwd });
    expect(ran.code).toBe(0);
    expect(ran.stdout + ran.stderr).toContain("s.json is a pipe, not a file");
  });

  it("nor is a file without an end", async () => {
    const cwd = makeProject({ "kindlm.yaml": plain, "vast.yaml": "", "lines.jsonl": "" });
    for (const name of ["vast.yaml", "lines.jsonl"]) truncateSync(join(cwd, name), 2 ** 40);
    expect((await runCli(["test", "vast.yaml"], { cwd })).stderr).toContain("vast.yaml is larger than 10 MiB");
    expect((await runCli(["score", "lines.jsonl"], { cwd })).stderr).toContain(
      "lines.jsonl: it is larger than 256 MiB",
    );
  });
});

describe("a report or events into a pipe", () => {
  it.each([
    ["--reporter", "json=pipe", "Cannot write pipe: no program reads from this pipe"],
    ["--events", "pipe", "Cannot write the events: no program reads from this pipe"],
  ])("that nobody reads: %s", async (flag, value, words) => {
    const cwd = makeProject({ "kindlm.yaml": plain });
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    const ran = await runCli(["test", flag, value], { cwd });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(words);
  });

  it("reach who reads it, all of them", async () => {
    const cwd = makeProject({ "kindlm.yaml": plain });
    execFileSync("mkfifo", [join(cwd, "pipe"), join(cwd, "events")]);
    const [report, events] = ["pipe", "events"].map((name) => text(createReadStream(join(cwd, name))));
    const ran = await runProcess(["test", "--reporter", "json=pipe", "--events", "events"], { cwd });
    expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining("pipe")]);
    expect(JSON.parse((await report) ?? "")).toMatchObject({ verdict: "passed" });
    expect((await events)?.trim().split("\n").at(-1)).toContain('"run:end"');
  });
});

it("a line with very many mistakes takes no longer than as many lines", async () => {
  const cwd = makeProject({});
  const timeOf = async (piece: string): Promise<number> => {
    writeFileSync(join(cwd, "many.yaml"), `version: 1\nvars: { a: ${piece.repeat(12_000)} x }\n${plain.slice(11)}`);
    const ran = await runCli(["validate", "many.yaml"], { cwd });
    expect(ran.code).toBe(1);
    return ran.durationMs;
  };
  for (const mistake of ["!!str", "&a"]) {
    const ofLines = await timeOf(`${mistake}\n `);
    expect(await timeOf(`${mistake} `)).toBeLessThan(5 * ofLines + 500);
  }
});
