import { describe, expect, it } from "vitest";
import { loadProject, minimalConfig, renderAll } from "../../__fixtures__/config-project.js";

const contains = "assert: [{ type: contains, value: hi }]";
/** A test that names a tool that no suite defines. */
const other = "      - { name: u, input: x, assert: [{ type: tool_called, tool: refund }] }\n";
const missingTool = expect.stringContaining('No tool of the test is named "refund"');

async function problemsOf(config: string): Promise<readonly string[]> {
  const loaded = await loadProject({ "kindlm.yaml": config });
  if (loaded.success) throw new Error("loaded");
  return renderAll(loaded.error);
}

describe("a suite that is wrong in form", () => {
  it.each([
    ["an unknown key of a test", minimalConfig(`${contains}\nnote: x`) + other, 'Unknown key "note"'],
    ["a wrong value of a test", minimalConfig(`${contains}\ntags: x`) + other, '"tags" must be a list'],
    ["a test that cannot be used", minimalConfig(`${contains}\nruns: x`) + other, '"runs" must be a number'],
    [
      "an unknown key of the suite",
      minimalConfig().replace("    tests:", "    system_promt: x\n    tests:") + other,
      'Unknown key "system_promt"',
    ],
  ])("still has its other tests checked, in the order of the file: %s", async (_name, config, first) => {
    const problems = await problemsOf(config);
    expect(problems).toEqual([expect.stringContaining(first), missingTool]);
    expect(problems[1]).toMatch(/^invalid kindlm\.yaml:(9|10):/);
  });

  it("has the rest of a test checked", async () => {
    expect(await problemsOf(minimalConfig(`models: [none]\n${contains}\nnote: x`))).toEqual([
      expect.stringContaining('Unknown model "none"'),
      expect.stringContaining('Unknown key "note"'),
    ]);
  });

  it.each([
    ["input", minimalConfig().replace("input: hello", "inptu: hello"), 'Unknown key "inptu"'],
    ["assert", minimalConfig("assrt: [{ type: contains, value: hi }]"), 'Unknown key "assrt"'],
    [
      "vars",
      minimalConfig('asert: []\nvras: { n: 1 }\nassert: [{ type: contains, value: "{{n}}" }]'),
      '"asert"',
      '"vras"',
    ],
    [
      "tools",
      minimalConfig("assert: [{ type: tool_called, tool: refund }]").replace(
        "    tests:",
        "    tolls: [{ name: refund }]\n    tests:",
      ),
      'Unknown key "tolls"',
    ],
    [
      "workspace",
      minimalConfig().replace("    tests:", "    tools: [fs_read]\n    workspce: {}\n    tests:"),
      'Unknown key "workspce"',
    ],
    [
      "agents",
      minimalConfig().replace("    tests:", "    tools: [task_run]\n    agnts: [{ id: a, system: x }]\n    tests:"),
      'Unknown key "agnts"',
    ],
    [
      "agents at the top",
      minimalConfig()
        .replace("    tests:", "    tools: [task_run]\n    tests:")
        .replace("suites:", "agents: [{ id: a }]\nsuites:"),
      '"system" is missing',
    ],
  ])("is not told of what only follows from a misspelt %s", async (_name, config, ...expected) => {
    expect(await problemsOf(config)).toEqual(expected.map((words) => expect.stringContaining(words) as string));
  });
});
