import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { brokenPlaces, missingPlaces } from "./support/broken-places.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { chatCompletion } from "../packages/core/src/__fixtures__/provider-replies.js";
import { sendJson, startServer } from "../packages/core/src/__fixtures__/start-server.js";
import { runCli } from "./support/run-cli.js";
import { runInShell } from "./support/start-cli.js";

/** Enough for more than 64 KiB of journal, report, events and cassette, each. To run more cases would take the time. */
const cases = 12;
const filler = "and so on ".repeat(550);
/** Events have the name of the test, not its texts. */
const many = `many-${"x".repeat(500)}`;

const suites = (expected: string, inMany: string): string => `suites:
  - name: s
    tests:
      - { name: one, input: question one, assert: [{ type: contains, value: ${expected} }] }
      - name: ${many}
        dataset: rows.jsonl
        input: "question {{n}}"
        assert: [{ type: contains, value: ${inMany} }]
`;
const rows = Array.from({ length: cases }, (_, n) => `${JSON.stringify({ n: `number ${n} ${filler}` })}\n`).join("");
const project = (): string =>
  makeProject({
    "kindlm.yaml": `version: 1
models: [{ id: m, provider: scripted, script: { otherwise: { text: "the answer, which is a long one: {{user}}" } } }]
${suites("answer", "answer")}`,
    "rows.jsonl": rows,
  });
/** Asks a model over HTTP, so that there is something to record, and fails one test. */
const recording = (baseUrl: string): string =>
  makeProject({
    "kindlm.yaml": `version: 1
providers: { local: { type: openai, base_url: ${baseUrl} } }
models: [{ id: m, provider: local, model: x }]
${suites("another", "delivered")}`,
    "rows.jsonl": rows,
  });
const passed = `Summary: ${cases + 1} passed, 0 failed, 0 errored, 0 skipped\nExit code: 0\n`;
const warningsIn = (stderr: string): string[] => stderr.split("\n").filter((line) => line.startsWith("⚠"));

describe.each(brokenPlaces)("$name", ({ code, run }) => {
  it("costs the run what is written there, each told once, and nothing else; the tests decide the exit code", async () => {
    const answer = chatCompletion({ text: `delivered ${filler}` });
    const server = await startServer((_request, response) => sendJson(response, 200, answer));
    onTestFinished(() => server.close());
    const cwd = recording(`${server.url}/v1`);
    const broken = ["json=.kindlm/r.json", "junit=.kindlm/r.xml"].flatMap((name) => ["--reporter", name]);
    const others = ["--reporter", "pretty=short.txt", "--events", ".kindlm/e.jsonl", "--cassette", "record"];
    const ran = await run(["test", ...broken, ...others], cwd);
    expect({ code: ran.code, signal: ran.signal }).toEqual({ code: 1, signal: null });
    const summary = `Summary: ${cases} passed, 1 failed, 0 errored, 0 skipped\nExit code: 1\n`;
    expect(ran.stdout).toContain(summary);
    expect(ran.stdout).toContain("\n     s/one@m\n");
    const warnings = warningsIn(ran.stderr);
    for (const warning of warnings) expect(warning).toMatch(code);
    const said = warnings.map((line) => line.replace(/^⚠ Cannot write (.*?): .*/, "$1"));
    const lasting = said.map((what) =>
      what.replace(/runs\/[^/]+/, "runs/id").replace(/cassettes\/s\S*/, "cassettes/s"),
    );
    expect(lasting.toSorted()).toEqual([
      ".kindlm/cassettes/s",
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
});

// How a line is worded does not depend on what the system says.
it.each(brokenPlaces.slice(0, 1))("$name is told in lines of a log that asks for them", async ({ run }) => {
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

it.for(missingPlaces)("cannot be tried here: %s", async (name, { annotate }) => {
  await annotate(`what a run does in ${name}, which cannot be made on this machine`, "untested");
});

describe("a report that nobody can take", () => {
  // A report for programs and one for people: each takes its own way to stdout.
  it.each(["json", "pretty"])("on stdout is a warning, and the results are on stderr: %s", async (name) => {
    const ran = await runInShell(`kindlm test --reporter ${name} >/dev/full`, { cwd: project() });
    expect(ran.code).toBe(0);
    expect(warningsIn(ran.stderr)).toEqual([expect.stringMatching(/^⚠ Cannot write the report to stdout: .*ENOSPC/)]);
    expect(ran.stderr).toContain(passed);
  });

  it("on stderr is nothing that ends the run", async () => {
    const ran = await runInShell("kindlm test --verbose --reporter json 2>/dev/full", { cwd: project() });
    expect(ran.code).toBe(0);
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
