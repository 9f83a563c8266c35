import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { fileOn } from "./support/docs/pages.js";
import { runCli } from "./support/run-cli.js";

const config = fileOn("docs/calibrate-judge.md", "kindlm.yaml");
const labels = fileOn("docs/calibrate-judge.md", "labels.jsonl");

const run = (args: readonly string[], files: Record<string, string> = {}) =>
  runCli(["judge", ...args], { cwd: makeProject({ "kindlm.yaml": config, "labels.jsonl": labels, ...files }) });

describe("kindlm judge calibrate", () => {
  it.each([
    [["--min-agreement", "0.5"], 0],
    [["--min-agreement", "0.9"], 1],
    [["--min-kappa", "-1"], 0],
    [["--min-kappa", "0.99"], 1],
    [[], 0],
  ])("with %j ends with %i", async (gates, code) => {
    const ran = await run(["calibrate", "labels.jsonl", "-t", "support/known-order", ...gates]);
    expect([ran.code, ran.stdout.includes("The judge is good enough")]).toEqual([code, code === 0 && gates.length > 0]);
  });

  it("reads labels of the HTML report, with a note and the trial that they come from", async () => {
    const label = { note: "Too short", origin: { run: "20260215-1030", case: "s/t[r]@m", trial: 2 } };
    const lines = labels.trimEnd().split("\n");
    const noted = lines.map((line) => JSON.stringify({ ...(JSON.parse(line) as object), ...label })).join("\n");
    const calibrate = (files: Record<string, string>) =>
      run(["calibrate", "labels.jsonl", "--criteria", "Says where the order is", "--json"], files);
    const [with_, without] = [await calibrate({ "labels.jsonl": noted }), await calibrate({})];
    expect(with_.code).toBe(without.code);
    expect(JSON.parse(with_.stdout)).toEqual(JSON.parse(without.stdout));
  });

  it("prints its result as JSON, and reads labels from another program", async () => {
    const ran = await run(["calibrate", "labels.jsonl", "--criteria", "c", "--json"]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ isPassing: true, judge: "critic", labels: 5, judged: 5 });
    expect(ran.stderr).toBe("");
  });

  it("is no pass without labels", async () => {
    const ran = await run(["calibrate", "none.jsonl", "--criteria", "c"], { "none.jsonl": "\n\n" });
    expect([ran.code, ran.stdout]).toEqual([1, expect.stringContaining("there is no label")]);
  });

  it("reports every line that it cannot use, and asks nobody", async () => {
    const ran = await run(["calibrate", "bad.jsonl", "--criteria", "c"], {
      "bad.jsonl": '{"output":"x","label":"pass"}\r\n{"output":"x","label":"maybe"}\r\nnope\r\n',
    });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toBe("");
    expect(ran.stderr).toContain("bad.jsonl:2:1");
    expect(ran.stderr).toContain("bad.jsonl:3:1");
    expect(ran.stderr).not.toContain("bad.jsonl:1:1");
  });

  it.each([
    [["calibrat", "labels.jsonl"], 'Did you mean "calibrate"?'],
    [["calibrate", "kindlm.yaml"], "kindlm.yaml looks like a config, not like labels"],
    [["calibrate", "labels.jsonl", "--assertion", "x"], "--assertion needs --test"],
    [["calibrate", "labels.jsonl", "--cassette", "rplay"], 'Did you mean "replay"?'],
    [["calibrate", "labels.jsonl", "--min-kappa", "2"], "It must be a number from -1 to 1"],
    [["calibrate"], "labels"],
  ])("refuses %j", async (args, told) => {
    const ran = await run(args);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(told);
  });
});
