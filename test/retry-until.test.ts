import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { reportErrors } from "./support/report-errors.js";
import { fileOn } from "./support/docs/pages.js";
import { runCli } from "./support/run-cli.js";

/** What people copy from the page. */
const config = fileOn("docs/retry-until.md", "kindlm.yaml");

interface Report {
  summary: { firstTryRate?: number; firstTryInterval?: readonly number[]; passed: number };
  gates: { name: string; pass: boolean; actual: number }[];
  suites: {
    tests: {
      name: string;
      status: string;
      firstTryPasses?: number;
      trials: {
        tries?: { count: number; firstTry: boolean; approved: boolean; rejected: { reason: string; output: string }[] };
        turns: { turn: number; rejectedTry?: number }[];
        toolCalls: { tool: string; rejectedTry?: number }[];
        assertions: { type: string; pass: boolean; message: string }[];
      }[];
    }[];
  }[];
}

async function reportOf(cwd: string): Promise<{ code: number | null; report: Report }> {
  const ran = await runCli(["test", "--reporter", "json"], { cwd });
  const report: unknown = JSON.parse(ran.stdout);
  expect(reportErrors(report)).toEqual([]);
  return { code: ran.code, report: report as Report };
}

describe("the page on answers that must be approved", () => {
  it("has every try in the report, with what was rejected and why", async () => {
    const { code, report } = await reportOf(makeProject({ "kindlm.yaml": config }));
    expect(code).toBe(1);
    expect(report.summary).toMatchObject({ passed: 1, firstTryRate: 0 });
    expect(report.gates).toMatchObject([{ name: "first_try", pass: false, actual: 0 }]);
    const [quote, hurried] = report.suites[0]?.tests ?? [];
    expect(quote).toMatchObject({ status: "passed", firstTryPasses: 0 });
    expect(quote?.trials[0]?.tries).toMatchObject({
      count: 2,
      firstTry: false,
      approved: true,
      rejected: [{ output: "Two tickets are 24 euros.", reason: expect.stringContaining("to be JSON") }],
    });
    expect(quote?.trials[0]?.assertions[0]).toMatchObject({ type: "retry_until", message: "Approved at try 2 of 3" });
    expect(quote?.trials[0]?.turns.map(({ rejectedTry }) => rejectedTry)).toEqual([1, 1, undefined, undefined]);
    expect(hurried?.trials[0]?.toolCalls.map(({ tool, rejectedTry }) => [tool, rejectedTry])).toEqual([
      ["book", 1],
      ["price", undefined],
    ]);
  });

  it("passes, gate and all, where the first answer is what was asked for", async () => {
    const better = config.replaceAll('{ text: "Two tickets are 24 euros." }', "{ json: { total: 24 } }");
    const calm = better.replace("I am in a hurry", "Take your time");
    const { code, report } = await reportOf(makeProject({ "kindlm.yaml": calm }));
    expect([code, report.summary.firstTryRate]).toEqual([0, 1]);
    expect(report.suites[0]?.tests.map(({ firstTryPasses }) => firstTryPasses)).toEqual([1, 1]);
  });

  it("reports every rejected answer as it happens, and in verbose output", async () => {
    const cwd = makeProject({ "kindlm.yaml": config });
    const ran = await runCli(["test", "--verbose", "--events", "events.ndjson"], { cwd });
    const events = readFileSync(join(cwd, "events.ndjson"), "utf8")
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line))
      .filter((event) => (event as { type: string }).type === "try:rejected");
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({ channel: "progress", userTurn: 1, try: 1, maxTries: 3, again: true });
    expect(ran.stdout).toContain("user turn 1 try 1 rejected: Expected the answer to be JSON");
    const logged = await runCli(["test", "--log-format", "json"], { cwd });
    expect(logged.stderr).toContain('"message":"An answer was rejected"');
  });
});

describe("kindlm validate", () => {
  it("names the key that was meant, and warns of a gate that nothing can open", async () => {
    const mistyped = await runCli(["validate"], {
      cwd: makeProject({ "kindlm.yaml": config.replace("description: JSON", "descripton: JSON") }),
    });
    expect(mistyped.code).toBe(1);
    expect(`${mistyped.stdout}${mistyped.stderr}`).toContain('Did you mean "description"?');
    const bare = config.replaceAll(/^ +retry_until:\n(?: {10}.*\n)+/gm, "");
    const warned = await runCli(["validate"], { cwd: makeProject({ "kindlm.yaml": bare }) });
    expect(warned.code).toBe(0);
    expect(`${warned.stdout}${warned.stderr}`).toContain("The gate first_try always fails: no test uses retry_until");
  });
});
