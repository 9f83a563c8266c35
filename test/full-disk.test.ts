import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { brokenPlaces, missingPlaces } from "./support/broken-places.js";
import { startMisbehavingServer } from "./support/misbehaving-server.js";
import { makeProject } from "./support/make-project.js";
import { runCli } from "./support/run-cli.js";
import { cliPath } from "./support/start-cli.js";

/** Enough for more than 64 KiB of journal, report, events and cassette, each. */
const cases = 100;
const filler = "and so on ".repeat(100);

const config = (expected: string): string => `version: 1
models: [{ id: m, provider: scripted, script: { otherwise: { text: "the answer, which is a long one: {{user}}" } } }]
suites:
  - name: s
    tests:
      - { name: one, input: question one, assert: [{ type: contains, value: ${expected} }] }
      - name: many
        dataset: rows.jsonl
        input: "question {{n}}"
        assert: [{ type: contains, value: answer }]
`;
const rows = Array.from({ length: cases }, (_, n) => `${JSON.stringify({ n: `number ${n} ${filler}` })}\n`).join("");
const project = (expected = "answer"): string => makeProject({ "kindlm.yaml": config(expected), "rows.jsonl": rows });
const passed = `Summary: ${cases + 1} passed, 0 failed, 0 errored, 0 skipped\nExit code: 0\n`;
const warningsIn = (stderr: string): string[] => stderr.split("\n").filter((line) => line.startsWith("⚠"));

describe.each(brokenPlaces)("$name", ({ code, run }) => {
  it("costs the run its journal and nothing else", async () => {
    const ran = await run(["test"], project());
    expect({ code: ran.code, signal: ran.signal }).toEqual({ code: 0, signal: null });
    expect(ran.stdout).toContain(passed);
    const warnings = warningsIn(ran.stderr);
    expect(warnings).toEqual([expect.stringMatching(/^⚠ Can not write \.kindlm\/runs\/[^/]+\/journal\.jsonl: /)]);
    expect(warnings[0]).toMatch(code);
    expect(ran.stderr).toContain("The run went on without its journal");
  });

  it("costs the run its reports and nothing else, not even half of one is left", async () => {
    const cwd = project();
    const reports = [".kindlm/report.json", ".kindlm/report.xml"] as const;
    const reporters = ["--reporter", `json=${reports[0]}`, "--reporter", `junit=${reports[1]}`];
    const ran = await run(["test", "--no-journal", ...reporters], cwd);
    expect({ code: ran.code, signal: ran.signal }).toEqual({ code: 0, signal: null });
    expect(ran.stdout).toContain(passed);
    const warnings = warningsIn(ran.stderr);
    expect(warnings).toEqual(reports.map((name) => expect.stringContaining(`⚠ Can not write ${name}: `) as string));
    for (const warning of warnings) expect(warning).toMatch(code);
    expect(ran.stderr).toContain("Check free space and permissions");
    expect(reports.filter((name) => existsSync(join(cwd, name)))).toEqual([]);
  });

  it("costs the run its events and nothing else", async () => {
    const ran = await run(["test", "--no-journal", "--events", ".kindlm/events.jsonl"], project());
    expect({ code: ran.code, signal: ran.signal }).toEqual({ code: 0, signal: null });
    expect(ran.stdout).toContain(passed);
    const warnings = warningsIn(ran.stderr);
    expect(warnings).toEqual([expect.stringMatching(/^⚠ Can not write the events: /)]);
    expect(warnings[0]).toMatch(code);
  });

  it("says so once for each thing when it costs all of them, and the tests decide the exit code", async () => {
    const outputs = ["--reporter", "json=.kindlm/r.json", "--events", ".kindlm/e.jsonl"];
    const ran = await run(["test", ...outputs], project("another"));
    expect({ code: ran.code, signal: ran.signal }).toEqual({ code: 1, signal: null });
    expect(ran.stdout).toContain(`Summary: ${cases} passed, 1 failed, 0 errored, 0 skipped\nExit code: 1\n`);
    expect(ran.stdout).toContain("✗ s/one@m");
    const said = warningsIn(ran.stderr).map((line) => line.replace(/^⚠ Can not write (.*?): .*/, "$1"));
    expect(said.map((what) => what.replace(/runs\/[^/]+/, "runs/id")).toSorted()).toEqual([
      ".kindlm/r.json",
      ".kindlm/runs/id/journal.jsonl",
      "the events",
    ]);
    expect(ran.stderr).not.toMatch(/\bat .*:\d+:\d+|Unexpected/);
  });

  it("costs the run its cassettes and nothing else", async () => {
    const server = await startMisbehavingServer("well", "openai");
    onTestFinished(() => server.close());
    const asking = config("delivered")
      .replace("value: answer", "value: delivered")
      .replace(
        /^models: .*$/m,
        `providers: { local: { type: openai, base_url: ${server.baseUrl} } }
models: [{ id: m, provider: local, model: x }]`,
      );
    const cwd = makeProject({ "kindlm.yaml": asking, "rows.jsonl": rows });
    const ran = await run(["test", "--no-journal", "--cassette", "record"], cwd);
    expect({ code: ran.code, signal: ran.signal }).toEqual({ code: 0, signal: null });
    expect(ran.stdout).toContain(passed);
    const warnings = warningsIn(ran.stderr);
    expect(warnings).toEqual([expect.stringMatching(/^⚠ Can not write \.kindlm\/cassettes\/s\S*: /)]);
    expect(warnings[0]).toMatch(code);
  });

  it("is told in lines of a log that asks for them", async () => {
    const outputs = ["--reporter", "json=.kindlm/r.json", "--events", ".kindlm/e.jsonl"];
    const ran = await run(["test", "--log-format", "json", ...outputs], project());
    expect(ran.code).toBe(0);
    const lines = ran.stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { level: string; message: string });
    const warned = lines.filter(({ level }) => level === "warn").map(({ message }) => message);
    expect(warned.toSorted()).toEqual([
      expect.stringMatching(/r\.json: /),
      expect.stringMatching(/journal\.jsonl: /),
      expect.stringMatching(/the events: /),
    ]);
  });
});

it.for(missingPlaces)("can not be tried here: %s", async (name, { annotate }) => {
  await annotate(`what a run does in ${name}, which can not be made on this machine`, "untested");
});

describe("a report that nobody can take", () => {
  const into = (redirect: string, args: string): { status: number | null; stdout: string; stderr: string } =>
    spawnSync("bash", ["-c", `"${process.execPath}" "${cliPath}" test ${args} ${redirect}`], {
      cwd: project(),
      encoding: "utf8",
    });

  it.each(["json", "junit", "pretty"])("on stdout is a warning, and the results are on stderr: %s", (name) => {
    const ran = into(">/dev/full", `--reporter ${name}`);
    expect(ran.status).toBe(0);
    expect(warningsIn(ran.stderr)).toEqual([expect.stringMatching(/^⚠ Can not write the report to stdout: .*ENOSPC/)]);
    expect(ran.stderr).toContain(passed);
  });

  it("on stderr is nothing that ends the run", () => {
    const ran = into("2>/dev/full", "--verbose --reporter json");
    expect(ran.status).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ verdict: "passed", summary: { passed: cases + 1 } });
  });

  it("in a file that is no folder is a warning", async () => {
    const cwd = project();
    const ran = await runCli(["test", "--reporter", "json=rows.jsonl/r.json"], { cwd });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain(passed);
    expect(warningsIn(ran.stderr)).toEqual([expect.stringContaining("⚠ Can not write rows.jsonl/r.json: ")]);
    expect(readFileSync(join(cwd, "rows.jsonl"), "utf8")).toBe(rows);
  });
});
