import { describe, expect, it } from "vitest";
import { loadedProject, loadProject, renderAll, renderDiagnostic } from "../../__fixtures__/config-project.js";

const configOf = (test: string): string => `version: 1
models: [{ id: m, provider: openai, model: gpt-4.1-mini }]
suites:
  - name: s
    tools: [{ name: read_file }, { name: cancel_order }]
    tests:
      - name: t
        ${test.replaceAll("\n", "\n        ")}
`;

const conversation = (first: string, whole = "{ type: contains, value: hi }"): string =>
  configOf(`conversation:
  - { user: Cancel, assert: [${first}] }
  - { user: "Yes" }
assert: [${whole}]`);

async function problemsOf(config: string): Promise<readonly string[]> {
  const loaded = await loadProject({ "kindlm.yaml": config });
  return loaded.success ? [] : renderAll(loaded.error);
}

describe("an assertion on recovery", () => {
  it.each(["recovers_from", "fixes_arguments"])("%s needs a tool that exists", async (type) => {
    expect(await problemsOf(configOf(`input: hi\nassert: [{ type: ${type}, tool: read_fil }]`))).toEqual([
      `invalid kindlm.yaml:9:${26 + type.length + 8} No tool of the test is named "read_fil" | Did you mean "read_file"?`,
    ]);
  });

  it.each([
    ["no_blind_retry", "tool"],
    ["no_tool_errors", "tool"],
    ["no_redundant_calls", "unless_after"],
    ["asks_before", "tool"],
  ])("%s warns of one that does not", async (type, key) => {
    const config = await loadedProject({
      "kindlm.yaml": configOf(`input: hi\nassert: [{ type: ${type}, ${key}: [read_*, canel_order] }]`),
    });
    expect(config.warnings.map(renderDiagnostic)).toEqual([
      expect.stringMatching(
        /^warning kindlm\.yaml:9:\d+ No tool of the test is named "canel_order", so it is never called \| Did you mean "cancel_order"\?$/,
      ),
    ]);
  });
});

describe("a glob of tools", () => {
  const warningsOf = async (assertion: string): Promise<readonly string[]> => {
    const loaded = await loadProject({ "kindlm.yaml": configOf(`input: hi\nassert: [${assertion}]`) });
    return loaded.success ? loaded.data.warnings.map(renderDiagnostic) : renderAll(loaded.error);
  };

  it.each([
    ["tool_not_called", "tool: 'cancle_*'", "cancle_*", 'Did you mean "cancel_order"?'],
    ["tool_not_called", "tool: [read_file, '*_ordre']", "*_ordre", 'Did you mean "cancel_order"?'],
    ["tool_not_called", "tool: 'delete_*'", "delete_*", "Tools of the test: read_file, cancel_order"],
    ["no_tool_errors", "tool: 'reed_?ile'", "reed_?ile", 'Did you mean "read_file"?'],
    ["no_redundant_calls", "unless_after: 'raed*'", "raed*", 'Did you mean "read_file"?'],
    ["asks_before", "tool: 'cancl*'", "cancl*", 'Did you mean "cancel_order"?'],
    ["max_tool_calls", "max: 0, tool: 'cancl*'", "cancl*", 'Did you mean "cancel_order"?'],
    ["tool_not_called", "not: true, tool: 'cancl*'", "cancl*", 'Did you mean "cancel_order"?'],
  ])("of %s (%s) that matches no tool is a warning with the nearest name", async (type, options, glob, hint) => {
    expect(await warningsOf(`{ type: ${type}, ${options} }`)).toEqual([
      expect.stringMatching(/^warning kindlm\.yaml:9:\d+ /),
    ]);
    expect((await warningsOf(`{ type: ${type}, ${options} }`))[0]).toContain(
      `No tool of the test matches "${glob}", so the assertion finds no call of it | ${hint}`,
    );
  });

  it("is no warning if it matches a tool, or is about all tools, invented ones too", async () => {
    expect(await warningsOf("{ type: tool_not_called, tool: ['cancel_*', '*', '????_file'] }")).toEqual([]);
  });

  it("is no warning while the tools are not all known", async () => {
    const config = configOf("input: hi\nassert: [{ type: tool_not_called, tool: 'cancle_*' }]").replace(
      "tests:",
      "mcp_servers: [{ name: files, command: [files] }]\n    tests:",
    );
    expect((await loadedProject({ "kindlm.yaml": config })).warnings).toEqual([]);
  });

  it("has no meaning where one name is asked for", async () => {
    expect(await warningsOf("{ type: tool_called, not: true, tool: 'cancel_*' }")).toEqual([
      expect.stringContaining('No tool of the test is named "cancel_*", so it is never called'),
    ]);
    expect(await warningsOf("{ type: tool_called, tool: 'cancel_*' }")).toEqual([
      expect.stringContaining('invalid kindlm.yaml:9:45 No tool of the test is named "cancel_*"'),
    ]);
  });

  it.each([
    ["assert: [{ type: tool_not_called, tool: '{read,cancel}_*' }]", '"{" "}"'],
    ["assert: [{ type: tool_not_called, tool: [read_file, '[cr]*'] }]", '"[" "]"'],
    ["assert: [{ type: no_tool_errors, tool: '!read_file' }]", '"!"'],
    ["assert: [{ type: max_tool_calls, max: 1, tool: '!(read)_*' }]", '"!"'],
    ["assert: [{ type: recovers_from, tool: read_file, via: '{a,b}' }]", '"{" "}"'],
    ["assert: [{ type: contains, value: x }]\nfaults: [{ tool: '{read,cancel}_*', kind: hang }]", '"{" "}"'],
    [
      "assert: [{ type: contains, value: x }]\nrecommendations: [{ tool: '[cr]*', recommendations: [Wait] }]",
      '"[" "]"',
    ],
    [
      "assert: [{ type: contains, value: x }]\nmcp_servers: [{ name: m, command: [m], exclude: ['{write,delete}_*'] }]",
      '"{" "}"',
    ],
    [
      "assert: [{ type: contains, value: x }]\nmcp_servers: [{ name: m, command: [m], fallback: [{ tool: 'x!', return: 1 }] }]",
      '"!"',
    ],
  ])("refuses signs that it does not know: %s", async (test, signs) => {
    const problems = await problemsOf(configOf(`input: hi\n${test}`));
    expect(problems).toEqual([
      expect.stringContaining(`contains ${signs}, but globs of tools know only * and ? | Write a list of globs`),
    ]);
  });
});

describe("a JSON Schema that only seems to check", () => {
  const files = { "user.json": JSON.stringify({ type: "object", properties: { mail: { format: "emial" } } }) };
  const slip = (place: string, name = "requierd", hint = "required"): string =>
    `warning kindlm.yaml:${place} JSON Schema has no keyword "${name}", so it checks nothing | Did you mean "${hint}"?`;

  it.each([
    ["assert: [{ type: schema, schema: { type: object, requierd: [id] } }]", slip("9:58")],
    ["assert: [{ type: tool_args_schema, tool: read_file, schema: { requierd: [id] } }]", slip("9:71")],
    ["assert: [{ type: json, value: { id: { $schema: { requierd: [id] } } } }]", slip("9:58")],
    [
      "assert: [{ type: schema, schema_file: user.json }]",
      'warning kindlm.yaml:9:47 user.json: JSON Schema format "emial" is not known, so any string passes (properties.mail.format) | Did you mean "email"?',
    ],
  ])("is a warning: %s", async (test, warning) => {
    const config = await loadedProject({ ...files, "kindlm.yaml": configOf(`input: hi\n${test}`) });
    expect(config.warnings.map(renderDiagnostic)).toEqual([warning]);
  });

  it("is a warning in the parameters and matchers of tools", async () => {
    const config = configOf("input: hi\nassert: [{ type: contains, value: hi }]").replace(
      "{ name: read_file }",
      "{ name: read_file, parameters: { tpye: object, properties: {} }, responses: [{ when: { a: { $schema: { patern: x } } }, return: 1 }] }",
    );
    expect((await loadedProject({ "kindlm.yaml": config })).warnings.map(renderDiagnostic)).toEqual([
      slip("5:46", "tpye", "type"),
      slip("5:116", "patern", "pattern"),
    ]);
  });
});

describe("an assertion that reads the whole conversation", () => {
  const refusal = (place: string) =>
    `invalid kindlm.yaml:${place} "asks_before" reads the whole conversation, so it cannot look at one user turn alone | Put it under assert: of the test, without user_turn`;

  it("may stand on the test", async () => {
    const whole = "{ any_of: [{ type: asks_before, tool: cancel_order }] }";
    expect(await problemsOf(conversation("{ type: contains, value: hi, user_turn: 1 }", whole))).toEqual([]);
  });

  it.each<[why: string, config: string, place: string]>([
    ["under a turn", conversation("{ type: asks_before, tool: cancel_order }"), "9:46"],
    ["in a group under a turn", conversation("{ all_of: [{ type: asks_before, tool: cancel_order }] }"), "9:57"],
    [
      "with a turn of its own",
      conversation("{ type: contains, value: hi }", "{ type: asks_before, tool: cancel_order, user_turn: 2 }"),
      "11:26",
    ],
    [
      "in a group with a turn",
      conversation(
        "{ type: contains, value: hi }",
        "{ user_turn: 2, at_least: 1, of: [{ type: asks_before, tool: cancel_order }] }",
      ),
      "11:60",
    ],
  ])("is refused %s", async (_, config, place) => {
    expect(await problemsOf(config)).toEqual([refusal(place)]);
  });
});
