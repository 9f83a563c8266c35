import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { withoutVolatileFields } from "../packages/core/src/reporters/json/without-volatile-fields.js";
import { configTop, runWith, serve } from "./support/cassette-project.js";
import { makeProject, type ProjectFiles } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { runCli } from "./support/run-cli.js";
import { runShards } from "./support/shard-jobs.js";
import { sendJson } from "../packages/core/src/__fixtures__/start-server.js";

interface Case {
  id: string;
  status: string;
  runs: number;
  endedEarly?: boolean;
  trialsRun?: number;
  interval: unknown;
  trials: { trial: number }[];
}
interface Report {
  summary: { requests: number; passRate: number; meanRate: unknown; earlyEnd?: { cases: number; endedEarly: number } };
  suites: { tests: Case[] }[];
}

/** Sixteen cases whose trials come out by lot, some of which cannot be answered at all. */
const project = (earlyEnd: string): ProjectFiles => ({
  "kindlm.yaml": `version: 1
models: [{ id: m, provider: scripted, script: s.yaml }]
retry: disabled
defaults: { runs: 9, pass: 6, early_end: ${earlyEnd} }
suites:
  - name: s
    tests:
      - name: t
        input: "{{id}}"
        rows: [${Array.from({ length: 12 }, (_, index) => `{ id: r${index} }`).join(", ")}]
        assert: [{ type: contains, value: hello }]
      - { name: all, input: x, pass: 9, rows: [{ id: a }, { id: b }, { id: c }], assert: [{ type: contains, value: hello }] }
      - { name: full, input: steady, early_end: false, assert: [{ type: contains, value: hello }] }
`,
  "s.yaml": `rules:
  - { when: { user: steady }, reply: { text: hello } }
  - choose:
      - { weight: 6, reply: { text: hello } }
      - { weight: 3, reply: { text: bye } }
      - { weight: 1, reply: { error: { status: 404 } } }
`,
});

const reportIn = (cwd: string): Report => JSON.parse(readFileSync(join(cwd, "out.json"), "utf8")) as Report;
const json = ["--reporter", "json=out.json", "--reporter", "pretty"];
const casesOf = ({ suites }: Report): Case[] => suites.flatMap(({ tests }) => tests);
const verdictsOf = (report: Report): unknown => casesOf(report).map(({ id, status }) => [id, status]);

async function run(files: ProjectFiles, ...args: readonly string[]): Promise<Report> {
  const cwd = makeProject(files);
  await runCli(["test", ...json, ...args], { cwd });
  return reportIn(cwd);
}

describe("early_end", () => {
  let all: Report;
  let early: Report;

  beforeAll(async () => {
    all = await run(project("false"));
    early = await run(project("true"), "--concurrency", "1");
  });

  it("gives the verdicts of all trials with fewer of them, however many run at a time", async () => {
    const many = await run(project("true"), "--concurrency", "50");
    expect(verdictsOf(early)).toEqual(verdictsOf(all));
    expect(withoutVolatileFields(many)).toEqual(withoutVolatileFields(early));
    expect(new Set(casesOf(all).map(({ status }) => status))).toEqual(new Set(["passed", "failed", "errored"]));
    expect(early.summary.requests).toBeLessThan(0.9 * all.summary.requests);
    expect(early.summary.passRate).toBe(all.summary.passRate);
  });

  it("marks the cases and keeps them out of rates", () => {
    const cases = casesOf(early);
    for (const { endedEarly, trialsRun, runs, trials, interval } of cases.slice(0, -1)) {
      expect(trials).toHaveLength(trialsRun ?? 0);
      expect(endedEarly).toBe(trials.length < runs);
      expect(interval === null).toBe(endedEarly);
    }
    expect(cases.at(-1)).not.toHaveProperty("endedEarly");
    expect(early.summary).toMatchObject({ earlyEnd: { cases: 15 }, meanRate: { cases: 1 } });
  });

  it("goes on where a run was left", async () => {
    const files = project("true");
    const cwd = makeProject(files);
    await runCli(["test", "--bail=3", ...json], { cwd });
    expect(reportIn(cwd).summary.requests).toBeLessThan(early.summary.requests);
    await runCli(["test", "--resume", "--bail=1000"], { cwd });
    await runCli(["test", "--resume", "--bail=1000", ...json], { cwd });
    expect(verdictsOf(reportIn(cwd))).toEqual(verdictsOf(early));
    // A trial that was errored from outside is run again only where its case is not decided without it.
    for (const { trials, trialsRun = 9 } of casesOf(reportIn(cwd))) expect(trials).toHaveLength(trialsRun);
  });

  it("is the same in shards", async () => {
    const files = project("true");
    const { artifacts } = await runShards(3, files);
    const cwd = makeProject(files);
    await runCli(["merge", artifacts, ...json], { cwd });
    expect(withoutVolatileFields(reportIn(cwd))).toEqual(withoutVolatileFields(early));
  });

  it("replays what it recorded", async () => {
    const texts = ["hello", "no", "hello", "no", "no", "hello", "hello"];
    const server = await serve(({ number }, response) =>
      sendJson(response, 200, chatCompletion({ text: texts[number - 1] ?? "hello" })),
    );
    const test = "runs: 7, pass: 5, early_end: true, assert: [{ type: contains, value: hello }]";
    const cwd = makeProject({
      "kindlm.yaml": `${configTop(server.url)}suites: [{ name: s, tests: [{ name: t, input: hi, ${test} }] }]\n`,
    });
    const recorded = await runWith("record", cwd, "--concurrency", "4");
    const replayed = await runWith("replay", cwd, "--concurrency", "1");
    expect(recorded.report.summary.requests).toBeLessThan(7);
    expect(withoutVolatileFields(replayed.report)).toEqual(withoutVolatileFields(recorded.report));
    expect(recorded.report.suites[0]?.tests).toMatchObject([{ status: "failed", endedEarly: true }]);
  });

  it("with a sequential test needs still fewer trials, and is another check", async () => {
    const sprt = project("{ sprt: { good: 0.95, bad: 0.4 } }");
    const tested = await run(sprt, "--concurrency", "1");
    expect(tested.summary.requests).toBeLessThan(early.summary.requests);
    expect(withoutVolatileFields(await run(sprt, "--concurrency", "50"))).toEqual(withoutVolatileFields(tested));
    expect(casesOf(tested)).not.toEqual(casesOf(early));
  });

  it("keeps cases out of baselines, and of comparisons with older ones", async () => {
    const cwd = makeProject(project("false"));
    await runCli(["test"], { cwd });
    expect((await runCli(["baseline", "set", "--allow-errored"], { cwd })).code).toBe(0);
    writeFileSync(join(cwd, "kindlm.yaml"), project("true")["kindlm.yaml"] ?? "");
    const { stdout } = await runCli(["test"], { cwd });
    expect(stdout).toMatch(/Not compared: .*\(ended early\)/);
    expect((await runCli(["baseline", "set", "--allow-errored"], { cwd })).code).toBe(0);
    expect((await runCli(["test", "--verbose"], { cwd })).stdout).toMatch(/^ {2}1 case$/m);
  });

  it("is told in the report for people, and is no mistake to misspell quietly", async () => {
    const cwd = makeProject(project("true"));
    const { stdout } = await runCli(["test"], { cwd });
    expect(stdout).toMatch(/ended early after \d of 9 runs/);
    expect(stdout.replaceAll(/\n */g, " ")).toMatch(
      /Over trials: mean .* of 15 cases with early_end ended early, and none of these is in the rates/,
    );
    const turned = await runCli(["validate"], { cwd: makeProject(project("{ sprt: { good: 0.4, bad: 0.9 } }")) });
    expect(turned.stdout + turned.stderr).toContain('"bad" is 0.9, which is not less than "good", 0.4');
    const wrong = await runCli(["validate"], { cwd: makeProject(project("yes please")) });
    expect(wrong.code).toBe(1);
  });
});
