import { describe, expect, it } from "vitest";
import { loadedProject, loadProject, renderAll, testsOf } from "../__fixtures__/config-project.js";

const config = (target: string, test = "input: hi", more = ""): string => `version: 1
models: [{ id: m, provider: openai, model: gpt-4.1-mini }]
suites:
  - name: s
    target: ${target}
    tests:
      - name: t
        ${test}
        assert: [{ type: contains, value: hi }]
${more}`;

async function problemsOf(written: string, files: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const loaded = await loadProject({ "kindlm.yaml": written, ...files });
  return loaded.success ? [] : renderAll(loaded.error);
}

const idle = "Remove it, or add proxy: true to the target, so its requests go through KindLM";
const asMessages = "Use protocol: json_lines or a module, which get messages as they are";
const history = "messages: [{ role: user, content: a }, { role: assistant, content: b }, { role: user, content: c }]";

describe("a target", () => {
  it.each([
    ["modle", ['invalid kindlm.yaml:5:13 "target" must be "model" or an object | Did you mean "model"?']],
    [
      "{ command: node agent.js }",
      [
        'invalid kindlm.yaml:5:24 "command" must be a list: the program and its arguments | Write [node, agent.js], or add shell: true',
      ],
    ],
    ["{ command: [node], shell: true }", ['invalid kindlm.yaml:5:24 "command" must be one text with shell: true']],
    [
      "{ command: 'node {{input}}', shell: true }",
      [
        'invalid kindlm.yaml:5:24 A "command" for a shell takes no placeholders | Read "$KINDLM_INPUT" or stdin, or write a list',
      ],
    ],
    [
      "{ command: [node], protcol: plain }",
      ['invalid kindlm.yaml:5:32 Unknown key "protcol" | Did you mean "protocol"?'],
    ],
    ["{ command: [node], protocol: lines }", ['invalid kindlm.yaml:5:42 "protocol" must be "plain" or "json_lines"']],
    [
      "{ command: [./agent.sh], cwd: work }",
      [
        'CONFIG_FILE_REF_ERROR kindlm.yaml:5:25 Target "agent.sh" not found',
        'CONFIG_FILE_REF_ERROR kindlm.yaml:5:43 Target "work" not found',
      ],
    ],
    [
      "{ module: ../agent.ts }",
      [
        'invalid kindlm.yaml:5:23 "../agent.ts" is outside the folder of the config | Move the file into it, or set allow_outside: true at the top level',
      ],
    ],
    ["{ module: ./agent.ts#run }", ['CONFIG_FILE_REF_ERROR kindlm.yaml:5:23 Target "agent.ts" not found']],
    [
      "{ command: [node, '{{inptu}}'] }",
      ['invalid kindlm.yaml:5:31 Unknown placeholder {{inptu}} | Did you mean "input"?'],
    ],
    [
      "{ url: 'http://x/${NOPE}' }",
      [
        "invalid kindlm.yaml:5:20 The environment variable NOPE is not set | Set it in the environment or in a .env file next to the config",
      ],
    ],
    ["{ url: x/chat }", ['invalid kindlm.yaml:5:20 "url" is not an HTTP address | Start it with http:// or https://']],
    [
      "{ url: http://x, proxy: true }",
      ['invalid kindlm.yaml:5:30 Unknown key "proxy" | Valid keys: url, method, headers, body, response, id, traces'],
    ],
    ["{ command: [node], id: a@b }", ['invalid kindlm.yaml:5:36 "id" is not valid: no space, and none of @ # / [ ]']],
  ])("%s", async (target, expected) => {
    expect(await problemsOf(config(target))).toEqual(expected);
  });

  it.each([
    [
      "{ command: [node] }",
      "input: hi\n        models: [m]",
      [`invalid kindlm.yaml:9:9 "models" has no effect: the target uses no model of the config | ${idle}`],
    ],
    [
      "{ url: http://x }",
      "input: hi\n        params: { seed: 1 }",
      ['invalid kindlm.yaml:9:9 "params" has no effect: the target uses no model of the config | Remove it'],
    ],
    [
      "{ command: [node] }",
      history,
      [`invalid kindlm.yaml:8:9 A plain program takes the user's message only, no history | ${asMessages}`],
    ],
    [
      "{ url: http://x }",
      "messages: [{ role: user, content: [{ type: image, url: 'https://x/y.png' }] }]",
      [`invalid kindlm.yaml:8:9 An HTTP target takes text only, no images | ${asMessages}`],
    ],
    [
      "{ command: [node, '{{input}}'], protocol: json_lines }",
      "input: hi",
      [
        `invalid kindlm.yaml:8:9 A program that talks in JSON lines gets the message there, not in {{input}} | ${asMessages}`,
      ],
    ],
    ["{ command: [node], protocol: json_lines }", history, []],
    ["{ command: [node], proxy: true }", "input: hi\n        models: [m]\n        params: { seed: 1 }", []],
  ])("%s cannot do everything: %s", async (target, test, expected) => {
    expect(await problemsOf(config(target, test))).toEqual(expected);
  });

  it("that asks no model makes the models of its suite pointless", async () => {
    const written = config("{ command: [node] }").replace("    tests:", "    models: [m]\n    tests:");
    expect(await problemsOf(written)).toEqual([
      `invalid kindlm.yaml:6:5 "models" has no effect: the target uses no model of the config | ${idle}`,
    ]);
  });

  it("of a test wins over that of its suite, brings tools of its own, and needs no model", async () => {
    const written = `version: 1
suites:
  - name: s
    target: { command: [node], env: { KEY: "\${SHOP_PASS}" }, id: shop }
    tests:
      - { name: a, input: hi, assert: [{ type: tool_called, tool: anything }] }
      - { name: b, target: model, models: [openai:gpt-4.1-mini], input: hi, assert: [{ type: contains, value: x }] }
`;
    const loaded = await loadedProject({ "kindlm.yaml": written }, { env: { SHOP_PASS: "hidden-one" } });
    expect(testsOf(loaded).map(({ target, models }) => [target?.id, models.length])).toEqual([
      ["shop", 0],
      [undefined, 1],
    ]);
    const [first] = testsOf(loaded);
    expect(first?.target).toMatchObject({ kind: "command", env: { KEY: "hidden-one" }, protocol: "plain" });
    expect(loaded.secretNames).toContain("SHOP_PASS");
  });
});
