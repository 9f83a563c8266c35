import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";

const exact = "9007199254740993";
const neighbor = "9007199254740992";

const configWith = (digits: string): string => `version: 1
models:
  - id: agent
    provider: scripted
    script:
      rules:
        - { when: { turn: 1 }, reply: { tool_calls: [{ tool: pay, raw_args: '{"to": {"account": ${exact}}}' }] } }
        - reply: { text: Paid }
suites:
  - name: s
    tools:
      - name: pay
        parameters: { type: object, properties: { to: { type: object, properties: { account: { type: integer } } } } }
        responses:
          - { when: { to: { account: { $integer: "${neighbor}" } } }, return: wrong }
          - { when: { to: { account: { $integer: "${exact}" } } }, return: right }
    tests:
      - name: t
        input: Pay
        assert:
          - { type: tool_called, tool: pay, args: { to: { account: { $integer: "${digits}" } } }, result: right }
          - { type: tool_not_called, tool: pay, args: { to: { account: { $integer: "${neighbor}" } } } }
`;

it("compares every digit of an integer in arguments: in a run, its journal, and its reports", async () => {
  const cwd = makeProject({ "kindlm.yaml": configWith(exact) });
  const run = await runCli(["test"], { cwd });
  expect(run.stdout + run.stderr).toContain("1 passed");
  expect(run.code).toBe(0);

  // The same trials, read from the journal, against its neighbor.
  writeFileSync(join(cwd, "kindlm.yaml"), configWith(neighbor));
  const again = await runCli(["rescore"], { cwd });
  expect(again.code).toBe(1);
  expect(again.stdout).toMatch(new RegExp(`✗ to\\.account +${exact} +expected the integer ${neighbor}\\n`));
  writeFileSync(join(cwd, "kindlm.yaml"), configWith(exact));
  expect((await runCli(["rescore"], { cwd })).code).toBe(0);
});

it("does so in recorded conversations of every form", async () => {
  const cwd = makeProject({ "kindlm.yaml": configWith(exact).replace(", result: right", "") });
  const args = (digits: string): string => `{"to":{"account":${digits}}}`;
  const forms = (digits: string): string[] => [
    `{"test":"s/t","toolCalls":[{"tool":"pay","args":${args(digits)}}],"output":""}`,
    `{"test":"s/t","messages":[{"role":"user","content":"Pay"},{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"pay","arguments":${JSON.stringify(args(digits))}}}]}]}`,
    `{"test":"s/t","messages":[{"role":"user","content":"Pay"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"pay","input":${args(digits)}}]}]}`,
  ];
  for (const [digits, code] of [
    [exact, 0],
    [neighbor, 1],
  ] as const) {
    for (const line of forms(digits)) {
      writeFileSync(join(cwd, "transcripts.jsonl"), `${line}\n`);
      const scored = await runCli(["score", "transcripts.jsonl"], { cwd });
      expect([line, scored.code]).toEqual([line, code]);
    }
  }
});

it("takes calls that differ in the last digit for different calls", async () => {
  const cwd = makeProject({
    "kindlm.yaml": configWith(exact).replace(/assert:\n[^]*$/, "assert: [{ type: no_redundant_calls }]\n"),
  });
  const line = (digits: string): string =>
    `{"test":"s/t","toolCalls":[{"tool":"pay","args":{"n":${exact}},"turn":1},{"tool":"pay","args":{"n":${digits}},"turn":2}]}`;
  writeFileSync(join(cwd, "t.jsonl"), line("9007199254740992"));
  expect((await runCli(["score", "t.jsonl"], { cwd })).code).toBe(0);
  writeFileSync(join(cwd, "t.jsonl"), line(exact));
  expect((await runCli(["score", "t.jsonl"], { cwd })).code).toBe(1);
});

it("says how to write such an integer in a config", async () => {
  const cwd = makeProject({ "kindlm.yaml": configWith(exact).replace(`{ $integer: "${neighbor}" }`, neighbor) });
  const { stdout, stderr } = await runCli(["validate"], { cwd });
  expect(stdout + stderr).toContain(`in a matcher, write {$integer: "${neighbor}"}`);
  expect(readFileSync(join(cwd, "kindlm.yaml"), "utf8")).toContain(neighbor);
});
