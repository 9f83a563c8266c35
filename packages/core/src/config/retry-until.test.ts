import { describe, expect, it } from "vitest";
import { loadedProject, loadProject, renderAll, renderDiagnostic, testsOf } from "../__fixtures__/config-project.js";

const config = (test: string, more = ""): string => `version: 1
models: [{ id: m, provider: openai, model: gpt-4.1-mini }]
suites:
  - name: s
    tools: [{ name: look, default: { return: 1 } }]
    tests:
      - name: t
        vars: { mood: nice }
${test.replaceAll(/^/gm, "        ")}
${more}`;

const single = (retry: string): string => `input: hi\nretry_until: ${retry}`;
const good = "assert: [{ type: contains, value: good }]";

async function problemsOf(written: string): Promise<readonly string[]> {
  const loaded = await loadProject({ "kindlm.yaml": written });
  if (loaded.success) {
    const ofSuites = loaded.data.suites.flatMap((suite) => (suite.status === "broken" ? suite.diagnostics : []));
    return [...loaded.data.warnings, ...ofSuites].map(renderDiagnostic);
  }
  return renderAll(loaded.error);
}

describe("retry_until in a config", () => {
  it("is read with its defaults, and counts as an assertion of its test", async () => {
    const [test] = testsOf(await loadedProject({ "kindlm.yaml": config(single(`{ ${good} }`)) }));
    expect(test?.assertions).toEqual([]);
    expect(test?.retries).toMatchObject([
      {
        stopWhen: [],
        description: null,
        feedback: null,
        maxTries: 3,
        isStrict: true,
        assertions: [{ parsed: { type: "contains" } }],
      },
    ]);
  });

  it("stands under the turn of a conversation whose answer is to be approved", async () => {
    const [test] = testsOf(
      await loadedProject({
        "kindlm.yaml": config(`conversation:
  - user: one
    assert: [{ type: contains, value: x }]
  - user: two
    retry_until:
      ${good}
      description: "be {{mood}}"
      feedback: "{{mood}} {{try}} {{reason}} {{description}}"
      stop_when: [{ type: contains, value: sorry }]
      max_tries: 5
      strict: false`),
      }),
    );
    expect(test?.retries?.map((retry) => retry?.maxTries)).toEqual([undefined, 5]);
    expect(test?.retries?.[1]).toMatchObject({ isStrict: false, stopWhen: [{}], description: "be {{mood}}" });
  });

  it("leaves no trace where nobody asks for it", async () => {
    const [test] = testsOf(await loadedProject({ "kindlm.yaml": config(`input: hi\n${good}`) }));
    expect(Object.keys(test ?? {})).not.toContain("retries");
  });

  it.each([
    [
      "{ assert: [] }",
      ['invalid kindlm.yaml:10:32 An empty "assert" checks nothing | Add an assertion, or remove the key'],
    ],
    [
      `{ ${good}, stop_when: [] }`,
      ['invalid kindlm.yaml:10:78 An empty "stop_when" never stops | Add an assertion, or remove the key'],
    ],
    [
      `{ ${good}, max_tries: 1 }`,
      [
        'invalid kindlm.yaml:10:78 With fewer than 2 tries nothing is tried again | Write at least 2, or check it under "assert"',
      ],
    ],
    [
      `{ ${good}, max_retries: 4 }`,
      ['invalid kindlm.yaml:10:67 Unknown key "max_retries" | Did you mean "max_tries"?'],
    ],
    ["{ max_tries: 4 }", ['invalid kindlm.yaml:10:22 "assert" is missing; expected a list']],
    [
      "{ assert: [{ type: contains, value: a, user_turn: 1 }] }",
      [
        'invalid kindlm.yaml:10:61 "user_turn" is not allowed here: the assertion checks the answer that is to be approved | Remove it, or check the other user turn under assert: of the test',
      ],
    ],
    [
      "{ assert: [{ any_of: [{ type: contains, value: a, user_turn: 1 }] }] }",
      [
        'invalid kindlm.yaml:10:72 "user_turn" is not allowed here: the assertion checks the answer that is to be approved | Remove it, or check the other user turn under assert: of the test',
      ],
    ],
    [
      "{ assert: [{ type: asks_before, tool: look }] }",
      [
        'invalid kindlm.yaml:10:41 "asks_before" reads the whole conversation, so it cannot look at one user turn alone | Put it under assert: of the test, without user_turn',
      ],
    ],
    [
      "{ assert: [{ type: tool_called, tool: lok }] }",
      ['invalid kindlm.yaml:10:60 No tool of the test is named "lok" | Did you mean "look"?'],
    ],
    [
      `{ ${good}, stop_when: [{ type: contians, value: a }] }`,
      [
        'invalid kindlm.yaml:10:87 Unknown assertion type "contians" | Did you mean "contains"? See: https://kindlm.com/docs/assertions',
      ],
    ],
    [
      `{ ${good}, feedback: "{{reson}}" }`,
      [
        "warning kindlm.yaml:10:77 The feedback does not say what is wrong with the answer | Add {{reason}}: the messages of the assertions that failed",
        'invalid kindlm.yaml:10:77 Unknown placeholder {{reson}} | Did you mean "reason"?',
      ],
    ],
    [
      `{ ${good}, description: be good, feedback: "{{reason}}" }`,
      [
        'invalid kindlm.yaml:10:67 "description" has no effect: the feedback does not contain it | Add {{description}} to feedback, or remove one of the two',
      ],
    ],
    [
      `{ ${good}, feedback: "{{description}}" }`,
      [
        "invalid kindlm.yaml:10:77 The feedback contains {{description}}, but no description is set | Add description:, or remove the placeholder",
      ],
    ],
    [
      `{ ${good}, description: "{{reason}}" }`,
      ["invalid kindlm.yaml:10:80 Unknown placeholder {{reason}} | Available: mood. Write \\{{ for literal braces"],
    ],
    [
      `{ ${good}, strict: false }`,
      ['invalid kindlm.yaml:7:15 Test "t" has no assertion | Add assert: to the test, to its suite or to defaults'],
    ],
  ])("says what is wrong with %s", async (written, expected) => {
    expect(await problemsOf(config(single(written)))).toEqual(expected);
  });

  it("does not stand beside a conversation", async () => {
    expect(await problemsOf(config(`conversation: [{ user: hi }]\nretry_until: { ${good} }\n${good}`))).toEqual([
      'invalid kindlm.yaml:10:9 "retry_until" needs "input" or "messages", but a conversation has several answers | Set it under the turn whose answer must be approved',
    ]);
  });

  it("does not stand beside a simulated user", async () => {
    const user = "models: [m]\nsimulated_user: { goal: g, model: 'openai:gpt-4.1' }";
    expect(await problemsOf(config(`${single(`{ ${good} }`)}\n${user}\n${good}`))).toEqual([
      `invalid kindlm.yaml:10:9 "retry_until" cannot be combined with "simulated_user": the next user message depends on the first answer | Script the user's messages under conversation, or remove one of the two`,
    ]);
  });

  it.each(["{ command: [node] }", "{ command: [node], protocol: json_lines }", "{ url: 'http://127.0.0.1:1' }"])(
    "asks no %s to forget a part of a conversation",
    async (target) => {
      const turns = `conversation: [{ user: a, retry_until: { ${good} } }, { user: b, retry_until: { ${good} } }]`;
      expect(await problemsOf(config(`${turns}\ntarget: ${target}`))).toEqual([
        expect.stringContaining(
          "This target keeps the conversation itself, so only its first answer can be rolled back and tried again | Put retry_until under the first turn, or test the model itself: target: model",
        ),
      ]);
    },
  );

  it("warns of a gate that has nothing to go by", async () => {
    const gate = "gates: { first_try: 0.8 }";
    expect(await problemsOf(config(`input: hi\n${good}`, gate))).toEqual([
      "warning kindlm.yaml:11:10 The gate first_try always fails: no test uses retry_until | Remove the gate, or add retry_until to a test",
    ]);
    const loaded = await loadedProject({ "kindlm.yaml": config(single(`{ ${good} }`), gate) });
    expect([loaded.warnings, loaded.gates]).toEqual([[], { firstTry: 0.8 }]);
  });
});
