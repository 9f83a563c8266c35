import { describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";

const broken = `version: 1
projct: acme
models:
  - { id: offline, provider: scripted, script: { otherwise: { text: hello } } }
  - { id: gpt, provider: opnai, model: gpt-4.1-mini }
retry: agressive
timeouts: { request: soon }
suites:
  - name: order-agent
    tools:
      - { name: lookup_order, default: { return: ok } }
    tests:
      - name: no-assertions
        input: hi
      - name: empty-assertions
        input: hi
        assert: []
      - name: slips
        input: "Where is {{ordr}}?"
        vars: { order: ORD-1 }
        pass: 3
        runs: 2
        models: [offlin]
        assert:
          - { type: tool_caled, tool: lookup_order }
          - { type: tool_called, tool: lookup_ordr }
          - { type: tool_called, tool: lookup_order, args: { id: { $regx: "^ORD" } } }
          - { type: matches, value: "(" }
          - { type: contains, vlaue: hello }
          - { type: schema, schema_file: schemas/missing.json }
`;

describe("a config with many mistakes", () => {
  it("gets them all told at once, in the order of the file, each with its place and what to do", async () => {
    const cwd = makeProject({ "kindlm.yaml": broken });
    const ran = await runCli(["validate"], { cwd });
    expect(ran.code).toBe(1);
    const lines = [...(ran.stdout + ran.stderr).matchAll(/kindlm\.yaml:(\d+):\d+/g)].map((match) => Number(match[1]));
    expect(lines).toEqual(lines.toSorted((a, b) => a - b));
    expect(new Set(lines).size).toBeGreaterThanOrEqual(13);
    await expect(ran.stdout + ran.stderr).toMatchFileSnapshot("__golden__/many-mistakes.txt");
  });

  it.each([
    ["a key at the top", broken.replace("projct", "prject"), 'Unknown key "prject"'],
    ["a test without assertions", broken, "no-assertions"],
    ["an empty list of assertions", broken, 'An empty "assert" checks nothing'],
  ])("%s is an error", async (_name, config, words) => {
    const ran = await runCli(["validate"], { cwd: makeProject({ "kindlm.yaml": config }) });
    expect(ran.code).toBe(1);
    expect(ran.stdout + ran.stderr).toContain(words);
  });

  it.each([
    ["no config at all", {}, "✗ No kindlm.yaml in this folder or above\n  Run kindlm init to create one"],
    ["no YAML", { "kindlm.yaml": "version: 1\nsuites: [\n" }, "kindlm.yaml:"],
    ["an empty file", { "kindlm.yaml": "" }, "✗ "],
  ] as const)("%s stops the run with exit code 1", async (_name, files, words) => {
    const ran = await runCli(["test"], { cwd: makeProject(files) });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(words);
    expect(ran.stderr).not.toMatch(/^ +at .*\.js:\d+/m);
  });
});
