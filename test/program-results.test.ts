import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";

const target = (code: number): string => `version: 1
suites:
  - name: s
    target: { command: [node, -e, "console.log('{ done: 1 }'); process.exitCode = ${code}"] }
    tests:
      - name: t
        input: Go
        assert:
          - { type: exit_code, value: 3 }
          - { type: stdout, value: "{ done: 1 }\\n" }
          - { type: stdout, not: true, value: { $contains: failed } }
`;

it("exit_code and stdout read the program under test, and the journal of its run", async () => {
  const cwd = makeProject({ "kindlm.yaml": target(3) });
  const run = await runCli(["test"], { cwd });
  expect([run.code, run.stdout]).toEqual([0, expect.stringContaining("1 passed")]);
  expect((await runCli(["rescore"], { cwd })).code).toBe(0);
  writeFileSync(
    join(cwd, "kindlm.yaml"),
    target(3).replace("value: 3", "value: 0").replace("$contains: failed", "$contains: done"),
  );
  const again = await runCli(["rescore"], { cwd });
  expect(again.code).toBe(1);
  expect(again.stdout).toContain("Expected the exit code to be 0, but it is 3");
  expect(again.stdout).toContain('Expected the opposite, but stdout matches containing "done"');
});

it("served_by reads every turn, and is an error where nothing says who answered", async () => {
  const config = `version: 1
models: [{ id: m, provider: openai, model: gpt-4.1-mini }]
suites:
  - name: s
    tests: [{ name: t, input: hi, assert: [{ type: served_by, value: gpt-a }] }]
`;
  const cwd = makeProject({ "kindlm.yaml": config });
  const score = async (line: object) => {
    writeFileSync(join(cwd, "t.jsonl"), JSON.stringify({ test: "s/t", output: "hello", ...line }));
    return runCli(["score", "t.jsonl"], { cwd });
  };
  expect((await score({ servedBy: "gpt-a" })).code).toBe(0);
  const other = await score({ served_by: ["gpt-a", "gpt-b"] });
  expect([other.code, other.stdout]).toEqual([
    1,
    expect.stringContaining('Expected every answer to be by "gpt-a", but one is by "gpt-b"'),
  ]);
  expect((await score({})).stdout).toContain("reads servedBy, which the trial does not have");
});

const toolConfig = (tool: string): string => `version: 1
models:
  - id: m
    provider: scripted
    script:
      rules:
        - { when: { turn: 1 }, reply: { tool_calls: [{ tool: lookup, args: { id: "7" } }] } }
        - reply: { text: ok }
suites:
  - name: s
    tools:
      - name: lookup
        result_schema: { type: object, required: [status], properties: { status: { enum: [sent, open] } } }
        ${tool}
    tests: [{ name: t, input: hi, assert: [{ type: tool_called, tool: lookup, result: { status: sent } }] }]
`;

it.each([
  ["default: { return: { status: sent } }", 0, "1 passed"],
  [
    "responses: [{ when: { id: '7' }, return: { status: lost } }]",
    1,
    "in the config breaks its result_schema: status must be one of",
  ],
  [
    "default: { return: { status: '{{args.id}}' } }",
    1,
    "in the config breaks its result_schema: status must be one of",
  ],
  ["default: { error: { message: down } }", 1, "1 failed"],
  ['command: [node, -e, "console.log(JSON.stringify({ state: 1 }))"]', 1, "runtime error"],
])("result_schema: %s", async (tool, code, text) => {
  const run = await runCli(["test"], { cwd: makeProject({ "kindlm.yaml": toolConfig(tool) }) });
  expect([run.code, run.stdout + run.stderr]).toEqual([code, expect.stringContaining(text)]);
});

it("result_schema lets faults spoil a result, and is looked at for misspelt keywords", async () => {
  const spoilt = toolConfig("default: { return: { status: sent } }").replace(
    "input: hi,",
    "input: hi, faults: [{ tool: lookup, kind: drop_fields }],",
  );
  const run = await runCli(["test"], { cwd: makeProject({ "kindlm.yaml": spoilt }) });
  expect(run.stdout).toContain("1 failed");
  const slip = toolConfig("default: { return: 1 }").replace("required:", "requierd:");
  const { stdout, stderr } = await runCli(["validate"], { cwd: makeProject({ "kindlm.yaml": slip }) });
  expect(stdout + stderr).toContain('JSON Schema has no keyword "requierd"');
});
