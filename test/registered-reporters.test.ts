import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
  createSystemClock,
  defineReporter,
  renderToString,
  runTests,
  type Clock,
  type ReporterDefinition,
  type RunResult,
} from "../packages/core/dist/index.js";
import { loadReporters } from "../packages/core/dist/commands/load-reporters.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";
import { runCli } from "./support/run-cli.js";

const coreUrl = createRequire(import.meta.url).resolve("../packages/core/dist/index.js");

const extension = `import { defineReporter } from ${JSON.stringify(coreUrl)};
const linesOf = async function* (result) {
  for (const test of result.suites.flatMap(({ tests }) => tests)) {
    yield test.id + " " + test.status + "\\n";
    for await (const trial of result.trials(test.id)) yield "  " + trial.output + "\\n";
  }
};
export const lines = defineReporter({ name: "lines", summary: "Lines", render: linesOf });
const reporter = (name, render) => defineReporter({ name, render });
export const whole = reporter("whole", async (result) => result.verdict + result.summary.total);
export const all = reporter("all", async (result) => {
  const trials = [];
  for await (const trial of result.trials()) trials.push(trial);
  return JSON.stringify([result, trials]);
});
export const broken = reporter("broken", async function* () { yield "half"; throw new Error("no way"); });
export const numbers = reporter("numbers", async function* () { yield 3; });
export const nothing = reporter("nothing", () => undefined);
export const changes = reporter("changes", (result) => { result.verdict = "passed"; return "x"; });
export const exits = reporter("exits", () => process.exit(0));
export const hangs = reporter("hangs", () => new Promise(() => {}));
`;

const config = `version: 1
extensions: [ext.mjs]
models: [{ id: m, provider: scripted, script: { otherwise: { text: "Write to joe@example.com with s3cr3t-canary" } } }]
suites:
  - name: s
    tests:
      - { name: a, input: hi, assert: [{ type: contains, value: canary }] }
      - { name: b, input: hi, assert: [{ type: no_pii }] }
`;
const env = { ACME_API_KEY: "s3cr3t-canary" };

let cwd = "";
let result: RunResult;
let reporters: readonly ReporterDefinition[] = [];

/** How long a silent reporter is waited for. */
let patienceMs = 30_000;
const system = createSystemClock();
const clock: Clock = {
  now: () => system.now(),
  monotonic: () => system.monotonic(),
  sleep: (ms, signal) => system.sleep(ms, signal),
  after: (ms, callback) => system.after(ms === 30_000 ? patienceMs : ms, callback),
};

beforeAll(async () => {
  cwd = makeProject({ "ext.mjs": extension, "kindlm.yaml": config });
  // Trials that are stored have been masked already.
  const ran = await runTests({ journal: false }, { env, cwd, openModules: sharedModules });
  const loaded = await loadReporters({}, { env, cwd, clock, openModules: sharedModules });
  if (!ran.success || !loaded.success) throw new Error(JSON.stringify([ran, loaded]));
  result = ran.data;
  reporters = loaded.data;
});

const render = (name: string) => {
  const found = reporters.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no ${name}`);
  return renderToString(found, result, { redact: (text) => text.replaceAll(env.ACME_API_KEY, "***") });
};

const linesOfRun = `s/a@m passed
  Write to joe@example.com with [redacted]
s/b@m failed
  Write to [masked] with [redacted]
`;

describe("a reporter that a module registers", () => {
  it("renders to a file and to stdout, whichever command asks for it", async () => {
    const tested = await runCli(["test", "--reporter", "lines=out.txt", "--reporter", "whole"], {
      cwd,
      env,
      openModules: sharedModules,
    });
    expect([tested.code, tested.stdout]).toEqual([1, "failed2"]);
    expect(readFileSync(join(cwd, "out.txt"), "utf8")).toBe(linesOfRun);
    const reported = await runCli(["report", "--reporter", "lines"], { cwd, env, openModules: sharedModules });
    expect([reported.code, reported.stdout]).toEqual([0, linesOfRun]);
  });

  it("reads the result and the trials as copies without anything that must not be shown", async () => {
    expect(await render("lines")).toEqual({ success: true, data: linesOfRun.replaceAll("[redacted]", "***") });
    const all = await render("all");
    const text = all.success ? all.data : "";
    expect(text).not.toContain("s3cr3t");
    expect(JSON.parse(text)).toMatchObject([
      { verdict: "failed", summary: { total: 2 } },
      [{ trial: 1 }, { trial: 1 }],
    ]);
  });

  it.each([
    ["broken", "broken of FILE threw: no way"],
    ["numbers", "numbers of FILE rendered 3, which is not a string"],
    ["nothing", "nothing of FILE threw: "],
    ["changes", "changes of FILE threw: Cannot assign to read only property 'verdict'"],
    ["exits", "exits of FILE called process.exit(0)"],
    ["hangs", "hangs of FILE did nothing for 30 s"],
  ])("is named if it fails: %s", async (name, words) => {
    patienceMs = name === "hangs" ? 50 : 30_000;
    const message = `The reporter ${name} failed: ${words.replace("FILE", join(cwd, "ext.mjs"))}`;
    expect(await render(name)).toMatchObject({ error: { message: expect.stringContaining(message) } });
  });

  it("changes no verdict and leaves nothing behind if it fails", async () => {
    const { code, stdout, stderr } = await runCli(["test", "--reporter", "broken", "-t", "s/a"], {
      cwd,
      env,
      openModules: sharedModules,
    });
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("The reporter broken failed");
  });

  it("is looked for before anything runs, and suggested for a name like it", async () => {
    const { code, stdout, stderr } = await runCli(["test", "--reporter", "line"], {
      cwd,
      env,
      openModules: sharedModules,
    });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toBe('✗ Unknown reporter "line"\n  Did you mean "lines"?\n');
    const empty = makeProject({});
    expect((await runCli(["test", "--reporter", "line"], { cwd: empty })).stderr).toContain("Known reporters: pretty,");
  });

  it("cannot have the name of one of the command line, and its module must load", async () => {
    const taken = `import { defineReporter } from ${JSON.stringify(coreUrl)};
export const one = defineReporter({ name: "pretty", render: () => "" });`;
    const other = makeProject({ "ext.mjs": taken, "kindlm.yaml": config });
    const validated = await runCli(["validate"], { cwd: other, env, openModules: sharedModules });
    expect(validated.stderr).toContain('"pretty" is the name of a built-in reporter');
    const asked = await runCli(["test", "--reporter", "mine"], { cwd: other, env, openModules: sharedModules });
    expect([asked.code, asked.stderr]).toEqual([
      1,
      expect.stringContaining('"pretty" is the name of a built-in reporter'),
    ]);
  });
});

describe("defineReporter", () => {
  it("gives a reporter that renders in this process as well", async () => {
    const own = defineReporter({ name: "own", render: ({ verdict }) => [verdict, "!"] });
    expect(await renderToString(own, result)).toEqual({ success: true, data: "failed!" });
  });
});
