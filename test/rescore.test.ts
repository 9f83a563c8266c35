import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";
import { runCli, type CliOutcome } from "./support/run-cli.js";

interface ReportedCase {
  id: string;
  status: string;
  runs?: number;
  required?: number;
  passes?: number;
  reason?: string;
  error: { code: string; message: string } | null;
  assertions?: { type: string; pass: boolean; message: string }[];
}

interface Report {
  verdict: string;
  run: { id: string; scored?: object };
  summary: { total: number; passed: number; failed: number; errored: number; skipped: number; requests: number };
  gates: { name: string; pass: boolean }[];
  suites: { tests: ReportedCase[] }[];
}

async function score(cwd: string, args: readonly string[]): Promise<CliOutcome & { report: Report }> {
  const ran = await runCli([...args, "--reporter", "json"], { cwd, openModules: sharedModules });
  return { ...ran, report: JSON.parse(ran.stdout || "{}") as Report };
}

function casesOf(report: Report): Record<string, ReportedCase> {
  return Object.fromEntries(report.suites.flatMap(({ tests }) => tests).map((test) => [test.id, test]));
}

const scripted = (script: string, { expected = "fine", prompt = "Be brief.", rows = "" } = {}): string => `version: 1
models: [{ id: m, provider: scripted, script: { otherwise: { text: "${script}" } } }]
suites:
  - name: s
    system_prompt: ${prompt}
    tests:
      - { name: one, input: first, assert: [{ type: contains, value: ${expected} }] }
      - { name: two, input: second, runs: 2, assert: [{ type: length, min: 1 }, { type: no_pii }] }${rows}
`;

describe("kindlm rescore", () => {
  it("evaluates the assertions of now in a run of its own, and keeps the old one", async () => {
    const cwd = makeProject({ "kindlm.yaml": scripted("all fine") });
    const first = await score(cwd, ["test"]);
    expect(first.report.verdict).toBe("passed");
    await writeFile(join(cwd, "kindlm.yaml"), scripted("all fine", { expected: "zebra" }));
    const { code, report } = await score(cwd, ["rescore"]);
    expect(code).toBe(1);
    expect(casesOf(report)).toMatchObject({
      "s/one@m": { status: "failed" },
      "s/two@m": { status: "passed", runs: 2 },
    });
    expect(report.run.scored).toEqual({ from: "run", run: first.report.run.id });
    expect(report.run.id).not.toBe(first.report.run.id);
    const old = await score(cwd, ["report", first.report.run.id]);
    expect(old.report.verdict).toBe("passed");
    const again = await score(cwd, ["report"]);
    expect(again.report).toEqual(report);
  });

  it("leaves out what has changed, and says why", async () => {
    const cwd = makeProject({ "kindlm.yaml": scripted("all fine") });
    const first = await score(cwd, ["test"]);
    const more = `
      - { name: new, input: third, assert: [{ type: contains, value: x }] }`;
    const changed = scripted("all fine", { rows: more }).replace("input: second", "input: another");
    await writeFile(join(cwd, "kindlm.yaml"), changed);
    const { code, report } = await score(cwd, ["rescore", "last"]);
    expect(code).toBe(0);
    const cases = casesOf(report);
    expect(cases["s/one@m"]?.status).toBe("passed");
    expect(cases["s/two@m"]?.reason).toMatch(/^its setup has changed since the run: input/);
    expect(cases["s/new@m"]?.reason).toBe("the run has no conversation for it");
    await writeFile(join(cwd, "kindlm.yaml"), scripted("all fine", { prompt: "Be long." }));
    const other = await runCli(["rescore"], { cwd });
    expect(other.code).toBe(1);
    expect(other.stderr).toContain("can be scored again: its agent has changed since the run: prompt");
    const scored = await score(cwd, ["score", join(".kindlm", "runs", first.report.run.id)]);
    expect(scored.report.summary).toMatchObject({ passed: 2, skipped: 0 });
  });

  it("does not judge what was masked, where an assertion might overlook it", async () => {
    const cwd = makeProject({ "kindlm.yaml": scripted("write to ann@example.com, fine") });
    const first = await score(cwd, ["test"]);
    expect(casesOf(first.report)["s/two@m"]?.status).toBe("failed");
    const changed = scripted("write to ann@example.com, fine").replace("min: 1", "min: 2");
    const unchanged = await score(cwd, ["rescore"]);
    expect(casesOf(unchanged.report)["s/two@m"]?.status).toBe("failed");
    await writeFile(join(cwd, "kindlm.yaml"), changed);
    const { report } = await score(cwd, ["rescore", first.report.run.id]);
    expect(casesOf(report)["s/two@m"]?.reason).toMatch(/^personal data or secrets in it are masked/);
  });

  it("judges again what could not be judged, and takes over what an error ended", async () => {
    const check = `import { existsSync } from "node:fs";
export const good = () => { if (!existsSync(new URL("up", import.meta.url))) throw new Error("down"); return true; };`;
    const text = `version: 1
models:
  - { id: m, provider: scripted, script: { otherwise: { text: fine } } }
  - { id: broken, provider: scripted, script: { otherwise: { error: { status: 400 } } } }
suites:
  - name: s
    tests:
      - { name: judged, models: [m], input: hi, assert: [{ type: module, module: "./check.mjs#good" }] }
      - { name: stopped, models: [broken], input: hi, assert: [{ type: contains, value: fine }] }
`;
    const cwd = makeProject({ "kindlm.yaml": text, "check.mjs": check });
    const first = await score(cwd, ["test"]);
    expect(first.report.summary).toMatchObject({ errored: 2 });
    await writeFile(join(cwd, "up"), "");
    const { report } = await score(cwd, ["rescore", "--run", first.report.run.id.slice(0, 18)]);
    expect(casesOf(report)).toMatchObject({
      "s/judged@m": { status: "passed" },
      "s/stopped@broken": { status: "errored", error: { code: "PROVIDER_API_ERROR" } },
    });
  });

  it("leaves a run that can go on: what could not be scored is run", async () => {
    const cwd = makeProject({ "kindlm.yaml": scripted("all fine") });
    await score(cwd, ["test"]);
    await writeFile(join(cwd, "kindlm.yaml"), scripted("all fine").replace("input: second", "input: another"));
    const rescored = await score(cwd, ["rescore"]);
    expect(rescored.report.summary).toMatchObject({ passed: 1, skipped: 1 });
    const resumed = await score(cwd, ["test", "--resume"]);
    expect(resumed.report.run.id).toBe(rescored.report.run.id);
    expect(resumed.report.summary).toMatchObject({ passed: 2, skipped: 0, requests: 3 });
  });

  it.each([
    [["rescore"], "No runs yet"],
    [["rescore", "nope"], 'Run "nope" not found'],
    [["rescore", "a", "--run", "b"], "Two runs given"],
  ])("%j", async (args, message) => {
    const { code, stderr } = await runCli(args, { cwd: makeProject({ "kindlm.yaml": scripted("x") }) });
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
});
