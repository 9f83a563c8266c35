import { describe, expect, it } from "vitest";
import { loadedProject, loadProject, renderAll, testsOf } from "../../__fixtures__/config-project.js";

const suite = (name: string, tools: string): string =>
  `  - { name: ${name}, tools: ${tools}, tests: [{ name: t, input: hi, assert: [{ type: contains, value: hi }] }] }\n`;
const config = (tools: string, ...suites: string[]): string =>
  `version: 1\nmodels: [{ id: m, provider: scripted, script: { otherwise: { text: hi } } }]\ntools: ${tools}\nsuites:\n${suites.join("")}`;
const lookup = "{ name: lookup, parameters: { order_id: string }, default: { return: { id: '{{args.order_id}}' } } }";

describe("tools at the top of a config", () => {
  it("are used by suites by name, next to their own, with paths relative to the config", async () => {
    const loaded = await loadedProject({
      "kindlm.yaml": config(
        `[${lookup}, { name: run, command: [./run.sh] }]`,
        suite("a", "[lookup, { name: own }]"),
        "  - more/b.yaml\n",
      ),
      "more/b.yaml":
        "name: b\ntools: [run, lookup]\ntests: [{ name: t, input: hi, assert: [{ type: contains, value: hi }] }]\n",
      "run.sh": "",
    });
    const tools = testsOf(loaded).map((test) => test.tools);
    expect(tools.map((list) => list.map(({ name }) => name))).toEqual([
      ["lookup", "own"],
      ["run", "lookup"],
    ]);
    expect(tools[0]?.[0]).toEqual(tools[1]?.[1]);
    expect(tools[1]?.[0]).toMatchObject({ cwd: loaded.root, command: [`${loaded.root}/run.sh`] });
    expect(loaded.warnings).toEqual([]);
  });

  it("may be replaced by a suite's own tool of the same name, and are warned of if nobody uses them", async () => {
    const loaded = await loadedProject({
      "kindlm.yaml": config(`[${lookup}]`, suite("a", "[{ name: lookup, default: { return: own } }]")),
    });
    expect(testsOf(loaded)[0]?.tools[0]).toMatchObject({ default: [{ answer: { return: "own" } }] });
    expect(loaded.warnings.map(({ message, position }) => `${position?.line} ${message}`)).toEqual([
      '3 Tool "lookup" is not used by any suite',
    ]);
  });

  it("that cannot be found are one mistake, wherever else the suite names what they should be", async () => {
    const asserted = suite("a", "[lokup]").replace("contains, value: hi", "tool_called, tool: lookup");
    const loaded = await loadProject({ "kindlm.yaml": config(`[${lookup}]`, asserted) });
    expect(loaded.success ? [] : renderAll(loaded.error)).toEqual([expect.stringContaining('Tool "lokup" not found')]);
  });

  it.each([
    [
      config(`[${lookup}]`, suite("a", "[lokup]")),
      'Tool "lokup" not found at the top of the config | Did you mean "lookup"?',
    ],
    [config("[]", suite("a", "[lookup]")), "| Define it under tools at the top of the config, or write the tool here"],
    [config(`[${lookup}]`, suite("a", "[lookup, lookup]")), 'The tool name "lookup" is already used in this suite'],
    [
      config(`[${lookup}, ${lookup}]`, suite("a", "[lookup]")),
      'The tool name "lookup" is already used at the top of the config',
    ],
    [config("[{ module: ./tools.mjs }]", suite("a", "[]")), "3:9 A tool at the top of the config needs a name"],
    [
      config("[{ name: lookup, parameters: { order_id: strng } }]", suite("a", "[lookup]")),
      '"strng" is not a type of a parameter',
    ],
    [config(`[${lookup.replace("args.order_id", "row.nothing")}]`, suite("a", "[lookup]")), "nothing"],
  ])("%s", async (text, problem) => {
    const loaded = await loadProject({ "kindlm.yaml": text, "tools.mjs": "" });
    if (loaded.success) throw new Error("loaded");
    expect(renderAll(loaded.error).join("\n")).toContain(problem);
  });

  it("break only the suites that use them", async () => {
    const text = config("[{ name: lookup, retrun: 1 }]", suite("a", "[lookup]"), suite("b", "[]"));
    const { suites } = await loadedProject({ "kindlm.yaml": text });
    expect(suites.map(({ name, status }) => [name, status])).toEqual([
      ["a", "broken"],
      ["b", "ready"],
    ]);
  });
});

describe("keys that start with x-", () => {
  it("are left alone at the top of a config and of a suite", async () => {
    const own = suite("a", "*shared").replace("{ name", "{ x-note: 1, name");
    const loaded = await loadedProject({
      "kindlm.yaml": config("[]", own).replace("tools: []", `x-tools: &shared [${lookup}]`),
    });
    expect(testsOf(loaded)[0]?.tools.map(({ name }) => name)).toEqual(["lookup"]);
    const test = suite("a", "[]").replace("input: hi", "x-note: 1, input: hi");
    const broken = await loadProject({ "kindlm.yaml": config("[]", test) });
    expect(broken.success).toBe(false);
  });
});
