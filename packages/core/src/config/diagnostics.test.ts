import { describe, expect, it } from "vitest";
import {
  diagnosticsOf,
  loadedProject,
  loadProject,
  minimalConfig,
  renderAll,
  renderDiagnostic,
} from "../__fixtures__/config-project.js";

const contains = "assert: [{ type: contains, value: hi }]";

/** The issue's own example, with the misspelt type at line 23. */
const misspelt = `# A config
version: 1
project: shop

models:
  - id: gpt
    provider: openai
    model: gpt-4.1-mini

defaults:
  runs: 1

suites:
  - name: order-agent
    system_prompt: You help.
    tools:
      - name: lookup_order
        description: Look an order up

    tests:
      - name: happy-path
        input: Where is order ORD-1?
        assert:
          - type: tool_caled
            tool: lookup_order
`.replace("# A config\n", "");

describe("a misspelt assertion type", () => {
  it("is reported with its place, its frame and the nearest name", async () => {
    const loaded = await loadProject({ "kindlm.yaml": misspelt });
    if (loaded.success) throw new Error("loaded");
    expect(loaded.error.code).toBe("CONFIG_VALIDATION_ERROR");
    expect(loaded.error.message).toBe('Unknown assertion type "tool_caled"');
    const [diagnostic] = diagnosticsOf(loaded.error);
    expect(diagnostic?.hint).toBe('Did you mean "tool_called"? See: https://kindlm.com/docs/assertions');
    expect(diagnostic?.position).toEqual({ file: "kindlm.yaml", line: 23, column: 19, length: 10 });
    expect(diagnostic?.frame).toEqual([
      { line: 22, text: "        assert:" },
      { line: 23, text: "          - type: tool_caled" },
    ]);
  });
});

/** What stands in the config, and what is said about it. */
const table: readonly [name: string, config: string, expected: readonly string[]][] = [
  ["an empty file", "", ["invalid kindlm.yaml:1:1 The config file is empty | Run kindlm init for a first config"]],
  ["a list", "- a\n", ["invalid kindlm.yaml:1:1 A config must be an object | Start with version: 1"]],
  [
    "no version",
    minimalConfig().replace("version: 1\n", "# hello\n"),
    ['invalid kindlm.yaml:2:1 "version" is missing | Add version: 1 at the top of the file'],
  ],
  [
    "another version",
    minimalConfig().replace("version: 1", "version: 2"),
    ['invalid kindlm.yaml:1:10 "version" must be 1 | Write version: 1'],
  ],
  [
    "an unknown key at the top",
    minimalConfig(contains, "timeout: 5s"),
    ['invalid kindlm.yaml:3:1 Unknown key "timeout" | Use timeouts.trial instead'],
  ],
  [
    "an unknown key of the defaults",
    minimalConfig(contains, "defaults: { verdict: m }"),
    [
      'invalid kindlm.yaml:3:13 Unknown key "verdict" | Valid keys: models, judge, embedder, runs, pass, early_end, concurrency, seed, assert',
    ],
  ],
  [
    "an unknown key of a test",
    minimalConfig(`${contains}\ntag: [a]`),
    ['invalid kindlm.yaml:9:9 Unknown key "tag" | Did you mean "tags"?'],
  ],
  [
    "a wrong type and a wrong assertion, in the order of the file",
    minimalConfig("runs: many\nassert: [{ type: contain, value: hi }]"),
    [
      'invalid kindlm.yaml:8:15 "runs" must be a number or an object',
      'invalid kindlm.yaml:9:26 Unknown assertion type "contain" | Did you mean "contains"? See: https://kindlm.com/docs/assertions',
    ],
  ],
  [
    "a test without an assertion",
    minimalConfig("tags: [a]"),
    ['invalid kindlm.yaml:6:15 Test "t" has no assertion | Add assert: to the test, to its suite or to defaults'],
  ],
  [
    "an empty list of assertions",
    minimalConfig("assert: []"),
    ['invalid kindlm.yaml:8:17 An empty "assert" checks nothing | Add an assertion, or remove the key'],
  ],
  [
    "a test without input",
    minimalConfig().replace("        input: hello\n", ""),
    ['invalid kindlm.yaml:6:15 Test "t" has no input | Add input:, messages:, conversation: or simulated_user:'],
  ],
  [
    "two inputs",
    minimalConfig(`conversation: [{ user: hi }]\n${contains}`),
    ['invalid kindlm.yaml:8:9 "conversation" and "input" cannot be combined'],
  ],
  [
    "an unknown model",
    minimalConfig(`models: [mm]\n${contains}`),
    ['invalid kindlm.yaml:8:18 Unknown model "mm" | Did you mean "m"?'],
  ],
  [
    "an unknown provider of a model",
    minimalConfig().replace("provider: openai", "provider: opnai"),
    ['PROVIDER_NOT_FOUND kindlm.yaml:2:29 Unknown provider "opnai" | Did you mean "openai"?'],
  ],
  [
    "an unknown provider in a shorthand",
    minimalConfig(contains, 'defaults: { models: ["opnai:x"] }'),
    ['PROVIDER_NOT_FOUND kindlm.yaml:3:22 Unknown provider "opnai" | Did you mean "openai"?'],
  ],
  [
    "a provider without a type",
    minimalConfig(contains, "providers:\n  mine: { base_url: http://127.0.0.1 }").replace(
      "provider: openai",
      "provider: mine",
    ),
    ['PROVIDER_NOT_FOUND kindlm.yaml:4:9 Unknown provider "mine" | Add the API it speaks, such as type: openai'],
  ],
  [
    "more passes than runs",
    minimalConfig(`runs: 2\npass: 3\n${contains}`),
    ['invalid kindlm.yaml:9:15 "pass" asks for 3 passing trials, but test "t" has 2 trials | Set runs: 3 or more'],
  ],
  [
    "a share of other runs",
    minimalConfig(`runs: 3\npass: 4/5\n${contains}`),
    ['invalid kindlm.yaml:9:15 "pass" is 4/5, but test "t" has 3 trials | Write 3/3, or set runs: 5'],
  ],
  [
    "a duration without a form",
    minimalConfig(`timeouts: { trial: soon }\n${contains}`),
    [
      'invalid kindlm.yaml:8:28 "soon" is not a valid duration | Use a number with a unit, such as 500ms, 30s, 2m or 1h',
    ],
  ],
  [
    "a deadline that nothing can meet",
    minimalConfig(`timeouts: { tool: 0 }\n${contains}`),
    ["invalid kindlm.yaml:8:27 A deadline must be more than 0"],
  ],
  [
    "a file that is missing",
    minimalConfig().replace("    tests:", "    system_prompt_file: prompts/missing.txt\n    tests:"),
    ['CONFIG_FILE_REF_ERROR kindlm.yaml:5:25 system_prompt_file "prompts/missing.txt" not found'],
  ],
  [
    "a schema file that is missing",
    minimalConfig("assert: [{ type: schema, schemaFile: schemas/order.json }]"),
    ["SCHEMA_FILE_ERROR kindlm.yaml:8:46 Schema file not found: schemas/order.json"],
  ],
  [
    "a module that is missing",
    minimalConfig("assert: [{ type: module, module: ./checks.js#polite }]"),
    ['CONFIG_FILE_REF_ERROR kindlm.yaml:8:42 Module "checks.js" not found'],
  ],
  [
    "a path that leaves the project",
    minimalConfig().replace("    tests:", "    system_prompt_file: ../secret.txt\n    tests:"),
    [
      'invalid kindlm.yaml:5:25 "../secret.txt" is outside the folder of the config | Move the file into it, or set allow_outside: true at the top level',
    ],
  ],
  [
    "a tool that an assertion needs and the suite has not",
    minimalConfig("assert: [{ type: tool_called, tool: lookup }]"),
    ['invalid kindlm.yaml:8:45 No tool of the test is named "lookup" | The suite defines no tools'],
  ],
  [
    "an unknown placeholder",
    minimalConfig('vars: { city: Lisbon }\nassert: [{ type: contains, value: "{{citty}}" }]'),
    ['invalid kindlm.yaml:9:43 Unknown placeholder {{citty}} | Did you mean "city"?'],
  ],
  [
    "unknown placeholders of a tool",
    minimalConfig(`vars: { city: Lisbon }\n${contains}`).replace(
      "    tests:",
      `    tools:
      - name: x
        responses:
          - { when: { c: "{{ctiy}}" }, return: "{{args.c}} {{city}}" }
          - { when: { c: "{{city}}" }, return: "{{cty}}" }
    tests:`,
    ),
    [
      'invalid kindlm.yaml:8:26 Unknown placeholder {{ctiy}} | Did you mean "city"?',
      'invalid kindlm.yaml:9:48 Unknown placeholder {{cty}} | Did you mean "city"?',
    ],
  ],
  [
    "arguments outside of a tool",
    minimalConfig('assert: [{ type: contains, value: "{{args.x}}" }]'),
    [
      "invalid kindlm.yaml:8:43 Unknown placeholder {{args.x}} | args holds the arguments of a tool call and is available only in tool responses",
    ],
  ],
  [
    "a reserved name",
    minimalConfig(`vars: { row: 1 }\n${contains}`),
    ['invalid kindlm.yaml:8:17 "row" is a reserved name | Reserved are args, row, state, turn; choose another'],
  ],
  [
    "a test of the same name",
    `${minimalConfig()}      - { name: t, input: x, ${contains} }\n`,
    ['invalid kindlm.yaml:9:17 The test name "t" is already used in this suite | Give each test a unique name'],
  ],
  [
    "a model of the same id",
    minimalConfig().replace("models: [", "models: [{ id: m, provider: anthropic, model: x }, "),
    ['invalid kindlm.yaml:2:58 The model ID "m" is already used | Give each model a unique id'],
  ],
  [
    "no model at all",
    minimalConfig().replace(/models: .*\n/, ""),
    [
      'invalid kindlm.yaml:3:11 Suite "s" has no model to run on | Declare one under models at the top level, or name one as provider:model',
    ],
  ],
  [
    "a turn that the test has not",
    minimalConfig("assert: [{ type: contains, value: hi, user_turn: 2 }]"),
    ['invalid kindlm.yaml:8:58 "user_turn" is 2, but the test has 1 user turn'],
  ],
  [
    "a variable that is not set",
    minimalConfig(contains, 'providers:\n  openai: { base_url: "http://${HOST}/v1" }'),
    [
      "invalid kindlm.yaml:4:23 The environment variable HOST is not set | Set it in the environment or in a .env file next to the config",
    ],
  ],
  [
    "parameters of a tool that are no schema",
    minimalConfig().replace(
      "    tests:",
      "    tools: [{ name: x, parameters: { type: object, properties: { a: { type: strange } } } }]\n    tests:",
    ),
    [expect.stringMatching(/^SCHEMA_FILE_ERROR kindlm.yaml:5:36 The parameters of tool "x": .*type/)],
  ],
];

describe("a broken config", () => {
  it.each(table)("reports %s", async (_name, config, expected) => {
    const loaded = await loadProject({ "kindlm.yaml": config });
    if (loaded.success) throw new Error("loaded");
    expect(renderAll(loaded.error)).toEqual(expected);
    expect(loaded.error.message).toBe(diagnosticsOf(loaded.error)[0]?.message);
    expect(loaded.error.code).toBe(diagnosticsOf(loaded.error)[0]?.code);
  });

  it("names where a file is referenced", async () => {
    const config = minimalConfig("assert: [{ type: schema, schema_file: schemas/order.json }]");
    const loaded = await loadProject({ "kindlm.yaml": config });
    if (loaded.success) throw new Error("loaded");
    expect(loaded.error).toMatchObject({
      code: "SCHEMA_FILE_ERROR",
      message: "Schema file not found: schemas/order.json",
      details: { path: "schemas/order.json", referencedIn: 'suite "s", test "t"' },
    });
  });

  it("names the suite and the test that a place is part of", async () => {
    const config = minimalConfig(`tagz: []\n${contains}`);
    const own = "name: own\nmodels: [x]\ntests: [{ name: u, input: hi, assert: [{ type: contain }] }]\n";
    const files = { "kindlm.yaml": `${config}  - own.yaml\nprojct: a\n`, "own.yaml": own };
    const loaded = await loadProject(files);
    if (loaded.success) throw new Error("loaded");
    const told = diagnosticsOf(loaded.error).map(({ position, suite, test }) => [position?.file, suite, test]);
    expect(told).toEqual([
      ["kindlm.yaml", "s", "t"],
      ["kindlm.yaml", undefined, undefined],
      ["own.yaml", "own", undefined],
      ["own.yaml", "own", "u"],
    ]);
  });

  it("refuses only: true in CI alone", async () => {
    const files = { "kindlm.yaml": minimalConfig(`only: true\n${contains}`) };
    expect((await loadProject(files)).success).toBe(true);
    const loaded = await loadProject(files, { ci: true });
    if (loaded.success) throw new Error("loaded");
    expect(renderAll(loaded.error)[0]).toContain('kindlm.yaml:8:15 Test "t" says "only: true"');
  });

  it("warns of a critical test whose failure is allowed, and of neither alone", async () => {
    const warned = async (settings: string): Promise<readonly string[]> =>
      (await loadedProject({ "kindlm.yaml": minimalConfig(`${settings}${contains}`) })).warnings.map(
        ({ message }) => message,
      );
    expect(await warned("critical: true\n")).toEqual([]);
    expect(await warned("allow_failure: known\n")).toEqual([]);
    expect(await warned("critical: true\nallow_failure: known\n")).toEqual([
      '"critical" has no effect on test "t": "allow_failure" lets it fail',
    ]);
  });
});

describe("a secret in the config", () => {
  const secret = "sk-proj-abcdefghijklmnop123456";
  it.each([
    ["a header", `providers:\n  openai: { headers: { x-key: ${secret} } }`],
    ["a bearer token", 'providers:\n  openai: { headers: { authorization: "Bearer abcdefghijklmnop123456" } }'],
    ["an unknown key", `providers:\n  openai: { api_key: ${secret} }`],
    ["the name of the variable", `providers:\n  openai: { api_key_env: ${secret} }`],
  ])("is refused and never shown: %s", async (_name, top) => {
    const loaded = await loadProject({ "kindlm.yaml": minimalConfig(contains, top) });
    if (loaded.success) throw new Error("loaded");
    expect(renderAll(loaded.error).join("\n")).toContain("looks like a secret");
    expect(JSON.stringify(loaded.error)).not.toContain("abcdefghijklmnop");
  });

  it("may come from the environment into a header", async () => {
    const top = 'providers:\n  openai: { headers: { authorization: "Bearer ${TEAM_TOKEN}" } }';
    const files = { "kindlm.yaml": minimalConfig(contains, top), ".env": "TEAM_TOKEN=file\n" };
    const config = await loadedProject(files, { env: { TEAM_TOKEN: "real" } });
    const [suite] = config.suites;
    const settings = suite?.status === "ready" ? suite.tests[0]?.models[0]?.settings.provider : undefined;
    expect(settings).toEqual({ headers: { authorization: "Bearer real" } });
    expect(config.secretNames).toContain("TEAM_TOKEN");
  });
});

describe("warnings", () => {
  it("report a tool that is forbidden and does not exist, and a gate that decides nothing", async () => {
    const test = "assert: [{ type: tool_not_called, tool: refund }]";
    const config = await loadedProject({ "kindlm.yaml": minimalConfig(test, "gates: { pass_rate: 0.9 }") });
    expect(config.warnings.map(renderDiagnostic)).toEqual([
      "warning kindlm.yaml:3:10 This gate decides nothing: any failed test already gives exit code 1 | Add exit_on: gates at the top level, so the gates decide about failed tests",
      'warning kindlm.yaml:9:49 No tool of the test is named "refund", so it is never called | The suite defines no tools',
    ]);
    const decided = await loadedProject({
      "kindlm.yaml": minimalConfig(contains, "gates: { pass_rate: 0.9 }\nexit_on: gates"),
    });
    expect(decided.warnings).toEqual([]);
  });
});
