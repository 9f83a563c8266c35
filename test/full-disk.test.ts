import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { brokenPlaces, missingPlaces } from "./support/broken-places.js";
import { startMisbehavingServer } from "./support/misbehaving-server.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";
import { cliPath } from "./support/start-cli.js";

/** Enough for more than 64 KiB of journal, report, events and cassette, each. */
const cases = 60;
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
  it("costs the run what is written there, each told once, and nothing else; the tests decide the exit code", async () => {
    const cwd = project("another");
    const broken = ["json=.kindlm/r.json", "junit=.kindlm/r.xml"].flatMap((name) => ["--reporter", name]);
    const ran = await run(["test", ...broken, "--reporter", "pretty=short.txt", "--events", ".kindlm/e.jsonl"], cwd);
    expect({ code: ran.code, signal: ran.signal }).toEqual({ code: 1, signal: null });
    const summary = `Summary: ${cases} passed, 1 failed, 0 errored, 0 skipped\nExit code: 1\n`;
    expect(ran.stdout).toContain(summary);
    expect(ran.stdout).toContain("\n     s/one@m\n");
    const warnings = warningsIn(ran.stderr);
    for (const warning of warnings) expect(warning).toMatch(code);
    const said = warnings.map((line) => line.replace(/^⚠ Cannot write (.*?): .*/, "$1"));
    expect(said.map((what) => what.replace(/runs\/[^/]+/, "runs/id")).toSorted()).toEqual([
      ".kindlm/r.json",
      ".kindlm/r.xml",
      ".kindlm/runs/id/journal.jsonl",
      "the events",
    ]);
    expect(ran.stderr).toContain("The run continued without its journal");
    expect(ran.stderr).toContain("Check the free disk space and the permissions");
    expect(ran.stderr).not.toMatch(/\bat .*:\d+:\d+|Unexpected/);
    // Not even half of a report is left, and one elsewhere is whole.
    expect(["r.json", "r.xml"].filter((name) => existsSync(join(cwd, ".kindlm", name)))).toEqual([]);
    expect(readFileSync(join(cwd, "short.txt"), "utf8")).toContain(summary);
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
    expect(warnings).toEqual([expect.stringMatching(/^⚠ Cannot write \.kindlm\/cassettes\/s\S*: /)]);
    expect(warnings[0]).toMatch(code);
  });

  it("is told in lines of a log that asks for them", async () => {
    const outputs = ["--reporter", "json=.kindlm/r.json", "--events", ".kindlm/e.jsonl"];
    const ran = await run(["test", "--log-format", "json", ...outputs], project());
    expect({ code: ran.code, signal: ran.signal }).toEqual({ code: 0, signal: null });
    expect(ran.stdout).toContain(passed);
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

it.for(missingPlaces)("cannot be tried here: %s", async (name, { annotate }) => {
  await annotate(`what a run does in ${name}, which cannot be made on this machine`, "untested");
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
    expect(warningsIn(ran.stderr)).toEqual([expect.stringMatching(/^⚠ Cannot write the report to stdout: .*ENOSPC/)]);
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
    expect(warningsIn(ran.stderr)).toEqual([expect.stringContaining("⚠ Cannot write rows.jsonl/r.json: ")]);
    expect(readFileSync(join(cwd, "rows.jsonl"), "utf8")).toBe(rows);
  });
});
