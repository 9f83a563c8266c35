import { describe, expect, it } from "vitest";
import { loadProject, renderAll, renderDiagnostic } from "../../__fixtures__/config-project.js";

interface Written {
  /** Lines of the suite, indented by four. */
  suite?: string;
  /** Further keys of the test, in flow style. */
  test?: string;
  tools?: string;
}

/** Everything that is said about a config with these parts, its place shown by line and column. */
async function saidAbout({ suite = "", test = "", tools = "[{ name: order, default: { return: 1 } }]" }: Written) {
  const loaded = await loadProject({
    "kindlm.yaml": `version: 1
models: [{ id: m, provider: scripted, script: { rules: [] } }]
limits: { max_tool_calls: 3 }
suites:
  - name: s
    tools: ${tools}
${suite}
    tests:
      - { name: t, input: hi, vars: { city: Bonn }, assert: [{ type: contains, value: hi }]${test === "" ? "" : `, ${test}`} }
`,
  });
  return loaded.success ? loaded.data.warnings.map(renderDiagnostic) : renderAll(loaded.error);
}

describe("the faults of a config", () => {
  it.each([
    [
      "is in order",
      { suite: "    faults: [{ tool: order, kind: error, call: 3 }, { tool: 'o*', kind: hang, times: 2 }]" },
      [],
    ],
    [
      "names a tool that there is not",
      { suite: "    faults: [{ tool: ordr, kind: error }]" },
      ['invalid kindlm.yaml:7:22 No tool of the test is named "ordr" | Did you mean "order"?'],
    ],
    [
      "names none by its glob, in a test",
      { test: "faults: { expand: true, list: [{ tool: 'pay_*', kind: error }] }" },
      ['invalid kindlm.yaml:9:133 No tool of the test is named "pay_*" | Tools of the test: order'],
    ],
    [
      "stands in a suite without tools",
      { suite: "    faults: [{ tool: '*', kind: error }]", tools: "[]" },
      ['invalid kindlm.yaml:7:22 No tool of the test is named "*" | The suite defines no tools'],
    ],
    [
      "is meant for a call beyond the limit",
      { suite: "    faults: [{ tool: order, kind: error, call: 5 }]" },
      [
        'warning kindlm.yaml:7:48 The fault "error:order" is meant for call 5, but "max_tool_calls" is 3, so it never fires | Lower `call`, or raise limits.max_tool_calls',
      ],
    ],
    [
      "has a limit of its test's own",
      { suite: "    faults: [{ tool: order, kind: error, call: 5 }]", test: "limits: { max_tool_calls: 5 }" },
      [],
    ],
    [
      "is hidden by another",
      { suite: "    faults: [{ tool: '*', kind: hang }, { id: late, tool: order, kind: error, call: 2 }]" },
      [
        'warning kindlm.yaml:7:41 The fault "late" never fires: "hang:*" comes before it on every call | Each call triggers at most one fault, the first that applies. Set `call` or `times`, or expand: true',
      ],
    ],
    [
      "is hidden by none that leaves calls over, or stands in another case",
      {
        suite:
          "    faults: [{ tool: order, kind: hang, rate: 0.5 }, { tool: order, kind: hang, times: 1 }, { tool: order, kind: error }]",
        test: "tags: [x]",
      },
      [],
    ],
    [
      "has a case of its own",
      { suite: "    faults: { expand: true, list: [{ tool: '*', kind: hang }, { tool: order, kind: error }] }" },
      [],
    ],
    [
      "contradicts itself",
      { suite: "    faults: [{ tool: order, kind: error, call: 1, rate: 0.5 }]" },
      [
        'invalid kindlm.yaml:7:51 "call" and "rate" cannot be combined | A fault hits a certain call, or each call with a probability',
      ],
    ],
    [
      "has an error with a placeholder that there is not",
      { test: "faults: [{ tool: order, kind: error, error: { message: '{{args.id}} {{city}} {{town}}' } }]" },
      ["invalid kindlm.yaml:9:149 Unknown placeholder {{town}} | Available: args, city. Write \\{{ for literal braces"],
    ],
  ])("%s", async (_name, written, expected) => {
    expect(await saidAbout(written)).toEqual(expected);
  });
});

describe("the state of a config", () => {
  const tools = (response: string): string => `[{ name: order, responses: [${response}] }]`;

  it.each([
    [
      "is known by its names",
      { suite: "    state: { open: A }", tools: tools("{ when: { id: '{{state.open}}' }, return: '{{state.open}}' }") },
      [],
    ],
    [
      "is known by what a response sets",
      { tools: tools("{ set: { paid: '{{args.id}}' }, return: '{{state.paid}}' }") },
      [],
    ],
    [
      "may have names that the call gives",
      { tools: tools("{ set: { '{{args.id}}': 1 }, return: '{{state.any}}' }") },
      [],
    ],
    [
      "may hold what the case knows",
      { test: "state: { place: '{{city}}' }", tools: tools("{ return: '{{state.place}}' }") },
      [],
    ],
    [
      "has no such name",
      { suite: "    state: { opened: A }", tools: tools("{ when: { id: '{{state.open}}' }, return: 1 }") },
      ['invalid kindlm.yaml:6:54 The state has no "open" for {{state.open}} | Did you mean "opened"?'],
    ],
    [
      "is not there at all",
      { tools: tools("{ sequence: [{ return: '{{state.open}}' }] }") },
      ['invalid kindlm.yaml:6:63 The state has no "open" for {{state.open}} | Add state: to the suite or test'],
    ],
    [
      "has a path with a placeholder that there is not",
      { tools: tools("{ set: { 'orders.{{args.id}}.{{town}}': 1 }, return: 1 }") },
      ["invalid kindlm.yaml:6:80 Unknown placeholder {{town}} | Available: args, city. Write \\{{ for literal braces"],
    ],
    [
      "begins with a placeholder that there is not",
      { suite: "    state: { place: '{{town}}' }" },
      ["invalid kindlm.yaml:7:21 Unknown placeholder {{town}} | Available: city. Write \\{{ for literal braces"],
    ],
    [
      "is no name for a prompt",
      { suite: "    state: { open: A }\n    system_prompt: 'see {{state.open}}'" },
      [
        "invalid kindlm.yaml:8:20 Unknown placeholder {{state.open}} | state is available only in responses of simulated tools and in errors of faults",
      ],
    ],
    [
      "is changed by a tool that claims to have no effect",
      {
        tools:
          "[{ name: order, attributes: { no_effect: true }, default: { sequence: [{ set: { a: 1 }, return: 1 }] } }]",
      },
      [
        'invalid kindlm.yaml:6:53 The tool is no_effect, but a response of it changes the state with "set" | Remove no_effect: true, or the "set"',
      ],
    ],
    [
      "has a name with a dot",
      { suite: "    state: { a.b: 1 }" },
      ["invalid kindlm.yaml:7:14 The name of a state must not hold . { or }"],
    ],
  ])("%s", async (_name, written, expected) => {
    expect(await saidAbout(written)).toEqual(expected);
  });
});
