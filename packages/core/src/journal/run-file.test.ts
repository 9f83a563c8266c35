import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { erroredCase, failedCase, passedCase, sampleRun, skippedCase } from "../__fixtures__/sample-run.js";
import type { RunComparison } from "../summary/comparison-result.js";
import type { SuiteResult } from "../engine/run-result.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { createRedactor } from "../redaction/redactor.js";
import { readRunFile, readRunHead } from "./read-run-file.js";
import { runFileVersion, writeRunFile, type RunHead } from "./run-file.js";

const cause = new Error("refused");
const error = kindlmError("PROVIDER_NETWORK_ERROR", "No connection", { cause });
const suites: readonly SuiteResult[] = [
  {
    status: "run",
    name: "Suite A",
    file: "kindlm.yaml",
    tests: [passedCase("one"), failedCase("two, the-secret"), erroredCase("three", error), skippedCase("four")],
  },
  { status: "run", name: "empty", file: "kindlm.yaml", tests: [] },
  { status: "skipped", name: "broken", file: "b.yaml", error, diagnostics: [], tests: [skippedCase("five")] },
];

function sampleHead(): RunHead {
  const { trials: _trials, suites: _suites, ...head } = sampleRun(suites);
  const unreadable = kindlmError("BASELINE_CORRUPT", "torn", { cause });
  const comparison: RunComparison = {
    verdict: null,
    suites: [
      { suite: "Suite A", status: "none" },
      { suite: "broken", status: "unreadable", error: unreadable },
    ],
  };
  return { ...head, comparison, rules: { gates: { passRate: 0.5 }, exitOn: "gates" }, haltedBy: null };
}

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "kindlm-run-"));
  file = path.join(folder, "run.json");
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (of: readonly SuiteResult[] = suites) =>
  writeRunFile(file, "run.json", { head: sampleHead(), suites: of }, createRedactor(["the-secret"]));

describe("writeRunFile", () => {
  it("writes JSON with a line per case, and all but the cases in the first", async () => {
    expect(await write()).toMatchObject({ success: true });
    const lines = readFileSync(file, "utf8").split("\n");
    expect(JSON.parse(lines.join("\n"))).toMatchObject({
      version: runFileVersion,
      head: { rules: { exitOn: "gates" } },
    });
    expect(JSON.parse(`${lines[0]}"suites":[]}`)).toMatchObject({ head: { summary: { total: 5 } } });
    expect(lines.filter((line) => line.includes('"id":"Suite A/'))).toHaveLength(5);
  });

  it("writes no secret", async () => {
    await write();
    expect(readFileSync(file, "utf8")).not.toContain("the-secret");
  });
});

describe("readRunFile", () => {
  it("reads back what was written, errors with their causes", async () => {
    await write();
    const read = await readRunFile(file, "run.json", "the-run");
    const { head, suites: stored } = read.success ? read.data : { head: null, suites: [] };
    expect(head).toEqual(sampleHead());
    expect(JSON.parse(JSON.stringify(stored).replaceAll("[redacted]", "the-secret"))).toEqual(
      JSON.parse(JSON.stringify(suites)),
    );
    const [first, , broken] = stored;
    const third = first?.tests[2];
    expect(third?.status === "errored" ? third.error.cause : null).toEqual(cause);
    expect(broken?.status === "skipped" ? broken.error.cause : null).toBeInstanceOf(Error);
  });

  it("reports a run that never came to its end", async () => {
    expect(await readRunFile(file, "run.json", "the-run")).toMatchObject({
      success: false,
      error: { code: "RUN_NOT_FOUND", details: { run: "the-run", isUnfinished: true } },
    });
  });

  it.each([
    "",
    "{",
    "[]",
    '{"version":1,"head":{}}',
    '{"version":1,"head":[],"suites":[]}',
    '{"version":4,"head":{},"suites":[]}',
  ])("refuses %j", async (text) => {
    writeFileSync(file, text);
    expect(await readRunFile(file, "shown/run.json", "the-run")).toMatchObject({
      success: false,
      error: { code: "STORE_CORRUPT", details: { path: "shown/run.json" } },
    });
  });
});

describe("readRunFile, line by line", () => {
  const damage = async (change: (lines: string[]) => readonly string[]): Promise<string> => {
    await write();
    writeFileSync(file, change(readFileSync(file, "utf8").split("\n")).join("\n"));
    const read = await readRunFile(file, "run.json", "the-run");
    return read.success ? "" : `${read.error.code}: ${read.error.message}`;
  };

  it.each([
    ["its end", (lines: string[]) => lines.slice(0, -2)],
    ["the end of a suite", (lines: string[]) => lines.slice(0, -3)],
    ["half of a line", (lines: string[]) => [...lines.slice(0, 4), lines[4]?.slice(0, 40) ?? ""]],
    ["its list of suites", (lines: string[]) => lines.toSpliced(1, 1)],
    ["the line of a suite", (lines: string[]) => lines.toSpliced(2, 1)],
    ["nothing, with a line too many", (lines: string[]) => [...lines.slice(0, -1), "{}", ""]],
  ])("finds out that it lost %s", async (_what, change) => {
    expect(await damage(change)).toBe("STORE_CORRUPT: run.json is damaged");
  });

  it("says where a value is wrong", async () => {
    expect(await damage((lines) => lines.map((line) => line.replace('"name":"two', '"name":2,"x":"two')))).toBe(
      "STORE_CORRUPT: run.json is damaged: suites[0].tests[1].name must be a string",
    );
    expect(await damage((lines) => lines.map((line) => line.replace('"name":"broken"', '"name":[]')))).toBe(
      "STORE_CORRUPT: run.json is damaged: suites[2].suite.name must be a string",
    );
    expect(await damage((lines) => lines.map((line) => line.replace(/"exitCode":\d/u, '"exitCode":"0"')))).toContain(
      "run.json is damaged: head.exitCode must be",
    );
    expect(await damage((lines) => lines.map((line) => (line.includes('"id":"Suite A/one') ? "7," : line)))).toContain(
      "run.json is damaged: suites[0].tests[0] must be",
    );
  });
});

describe("readRunHead", () => {
  it("reads the first line alone", async () => {
    await write();
    const [first] = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, `${first}\n\0 nothing that could be read`);
    expect(await readRunHead(file)).toEqual(sampleHead());
  });

  it.each(["", "{", '{"version":1,"head":{},', '{"version":4,"head":{},\n', '{"version":1,"head":1,\n', "null\n"])(
    "reads nothing from %j",
    async (text) => {
      writeFileSync(file, text);
      expect(await readRunHead(file)).toBeNull();
    },
  );
});
