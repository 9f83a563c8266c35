import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scriptedConfig } from "../packages/core/src/__fixtures__/scripted-config.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";

const said = [
  "::error::from the model",
  "see ##vso[task.complete result=Succeeded]",
  "##teamcity[buildStatus status='SUCCESS']",
  "##[group]x",
  "section_start:1:x",
  "travis_fold:start:x",
  "--- a group",
].join("\n");

const cwd = makeProject({
  "kindlm.yaml": scriptedConfig({
    otherwise: JSON.stringify({ text: said, tool_calls: [{ tool: "::set-output::##vso[x]", args: { a: said } }] }),
    suites: `  - name: "##vso[suite]"
    limits: { max_turns: 1 }
    tests: [{ name: t, input: ${JSON.stringify(said)}, assert: [{ type: contains, value: no }] }]`,
  }),
});

const command = /^\s*::|##[\w.-]*\[|section_(?:start|end):|travis_(?:fold|time):|^(?:---|\+\+\+|~~~|\^\^\^)\s+\S/m;

it.each<[string, readonly string[]]>([
  ["pretty", []],
  ["what is shown with --verbose", ["--verbose"]],
  ["markdown", ["--reporter", "markdown"]],
  ["JUnit", ["--reporter", "junit"]],
  ["TAP", ["--reporter", "tap"]],
  ["CSV", ["--reporter", "csv"]],
  ["JSON", ["--reporter", "json"]],
  ["events", ["--events", "-"]],
  ["the structured log", ["--log-format", "json"]],
])("no CI system finds a command of the model in %s", async (_name, args) => {
  const ran = await runCli(["test", ...args], { cwd, env: { DEBUG: args.length === 0 ? "kindlm*" : "" } });
  expect(ran.stdout.length).toBeGreaterThan(0);
  expect(ran.stdout).not.toMatch(command);
  expect(ran.stderr).not.toMatch(command);
});

it("keeps what JSON and events say, and the commands of KindLM's own", async () => {
  const report = join(cwd, "report.json");
  const json = await runCli(["test", "--reporter", `json=${report}`, "--reporter", "github"], { cwd });
  const { suites } = JSON.parse(readFileSync(report, "utf8")) as {
    suites: { name: string; tests: { trials: { toolCalls: { args: { a: string } }[] }[] }[] }[];
  };
  expect(suites[0]?.name).toBe("##vso[suite]");
  expect(suites[0]?.tests[0]?.trials[0]?.toolCalls[0]?.args.a).toBe(said);
  expect(json.stdout).toMatch(/^::error file=kindlm\.yaml,/m);
  const events = await runCli(["test", "--events", "-"], { cwd });
  const names = events.stdout
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as { tool?: string }]));
  expect(names.map(({ tool }) => tool)).toContain("::set-output::##vso[x]");
});
