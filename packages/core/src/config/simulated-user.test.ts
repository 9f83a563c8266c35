import { describe, expect, it } from "vitest";
import { loadedProject, loadProject, renderAll, renderDiagnostic, testsOf } from "../__fixtures__/config-project.js";
import { modelsInUse } from "../doctor/collect-endpoints.js";
import { validateConfig } from "../commands/validate-config.js";
import { makeProject } from "../__fixtures__/make-project.js";

const ended = "assert: [{ type: conversation_ended, by: goal }]";
const models =
  "  - { id: gpt, provider: openai, model: gpt-4.1-mini }\n  - { id: user, provider: openai, model: gpt-4.1 }";

interface Written {
  simulated?: string;
  /** Further lines of the test. */
  test?: string;
  models?: string;
  more?: string;
}

const written = ({ simulated = "{ goal: g, model: user }", test = ended, ...rest }: Written = {}): string => `version: 1
models:
${rest.models ?? models}
${rest.more ?? ""}
suites:
  - name: s
    tests:
      - name: t
        simulated_user: ${simulated}
        ${test.replaceAll("\n", "\n        ")}
`;

async function problemsOf(config: Written): Promise<readonly string[]> {
  const loaded = await loadProject({ "kindlm.yaml": written(config) });
  return loaded.success ? loaded.data.warnings.map(renderDiagnostic) : renderAll(loaded.error);
}

describe("simulated_user", () => {
  it("is read with its defaults, and its model is not tested", async () => {
    const config = await loadedProject({ "kindlm.yaml": written() });
    const [test] = testsOf(config);
    expect(config.warnings).toEqual([]);
    expect(test?.models.map(({ id }) => id)).toEqual(["gpt"]);
    expect(test?.simulatedUser).toMatchObject({ persona: null, goal: "g", knows: [], maxTurns: 10, stop: null });
    expect(test?.simulatedUser?.model.id).toBe("user");
  });

  it("says what it knows in sentences or by name", async () => {
    const knowsOf = async (knows: string) =>
      testsOf(
        await loadedProject({ "kindlm.yaml": written({ simulated: `{ goal: g, model: user, knows: ${knows} }` }) }),
      )[0]?.simulatedUser?.knows;
    expect(await knowsOf("{ order: ORD-1, age: 7, vip: true }")).toEqual(["order: ORD-1", "age: 7", "vip: true"]);
    expect(await knowsOf("[The order is late.]")).toEqual(["The order is late."]);
  });

  it("keeps its model out of the tests of other suites, in other files too, unless they name it", async () => {
    const user = `name: s\ntests: [{ name: t, simulated_user: { goal: g, model: user }, ${ended} }]\n`;
    const config = await loadedProject({
      "kindlm.yaml": `version: 1\nmodels:\n${models}\nsuites:
  - { name: a, tests: [{ name: t, input: hi, assert: [{ type: contains, value: x }] }] }
  - users/*.yaml
  - { name: b, models: [user], tests: [{ name: t, input: hi, assert: [{ type: contains, value: x }] }] }
`,
      "users/s.yaml": user,
    });
    expect(testsOf(config).map((test) => test.models.map(({ id }) => id))).toEqual([["gpt"], ["gpt"], ["user"]]);
  });

  it.each<[why: string, config: Written, problem: string]>([
    ["no goal", { simulated: "{ model: user }" }, 'invalid kindlm.yaml:10:25 "goal" is missing'],
    ["no model", { simulated: "{ goal: g }" }, 'invalid kindlm.yaml:10:25 "model" is missing'],
    ["a mistyped key", { simulated: "{ goal: g, model: user, persnoa: x }" }, 'Did you mean "persona"?'],
    [
      "an unknown model",
      { simulated: "{ goal: g, model: usr }" },
      'invalid kindlm.yaml:10:43 Unknown model "usr" | Did you mean "user"?',
    ],
    ["no messages", { simulated: "{ goal: g, model: user, max_turns: 0 }" }, "kindlm.yaml:10:60"],
    [
      "a stop that is read by nothing",
      { simulated: "{ goal: g, model: user, stop: { ouput: { $contains: x } } }" },
      'invalid kindlm.yaml:10:57 Unknown key "ouput" | Did you mean "output"?',
    ],
    [
      "a stop that is no mapping",
      { simulated: "{ goal: g, model: user, stop: [a] }" },
      'invalid kindlm.yaml:10:55 "stop" must be an object',
    ],
    [
      "a stop with an unknown operator",
      { simulated: "{ goal: g, model: user, stop: { output: { $contain: x } } }" },
      "$contain",
    ],
    [
      "an unknown placeholder",
      { simulated: '{ goal: "{{gaol}}", model: user }', test: `vars: { goal: g }\n${ended}` },
      'invalid kindlm.yaml:10:33 Unknown placeholder {{gaol}} | Did you mean "goal"?',
    ],
    [
      "a conversation beside it",
      { test: `conversation: [{ user: hi }]\n${ended}` },
      'invalid kindlm.yaml:10:9 "simulated_user" and "conversation" cannot be combined',
    ],
    [
      "more user turns than it has",
      {
        simulated: "{ goal: g, model: user, max_turns: 2 }",
        test: "assert: [{ type: contains, value: x, user_turn: 3 }]",
      },
      '"user_turn" is 3, but the test has 2 user turns',
    ],
    [
      "itself as the only model",
      { models: "  - { id: user, provider: openai, model: gpt-4.1 }" },
      "All declared models are simulated users",
    ],
  ])("is refused with %s", async (_why, config, problem) => {
    expect((await problemsOf(config)).join("\n")).toContain(problem);
  });

  it("is needed by an assertion about how it ended", async () => {
    const config = written().replace(/simulated_user: .*/, "input: hi");
    const loaded = await loadProject({ "kindlm.yaml": config });
    expect(loaded.success ? [] : renderAll(loaded.error)).toEqual([
      'invalid kindlm.yaml:11:26 "conversation_ended" is about a simulated user, and test "t" has none | Put it into the tests with simulated_user:',
    ]);
  });

  it("is warned of where it is the model under test, by whatever name", async () => {
    const warning = "talks to itself here: the model under test plays its own user";
    expect(await problemsOf({ test: `models: [gpt, user]\n${ended}` })).toEqual([
      `warning kindlm.yaml:10:43 "user" ${warning} | Name another model, or other models: for this test`,
    ]);
    expect((await problemsOf({ simulated: "{ goal: g, model: openai:gpt-4.1-mini }" }))[0]).toContain(
      `"gpt" ${warning}`,
    );
  });

  it("has its fallbacks without a permission, so that nothing warns of them", async () => {
    const withFallback = (id: string): string =>
      models.replace(`id: ${id},`, `id: ${id}, fallback: [openai:gpt-4.1-nano],`);
    expect(await problemsOf({ models: withFallback("user") })).toEqual([]);
    expect((await problemsOf({ models: withFallback("gpt") })).join()).toContain('"fallback" does nothing');
    expect(await problemsOf({ more: "fallback: [openai:gpt-4.1-nano]" })).toEqual([]);
  });

  it("is counted where the budget cannot count its calls", async () => {
    const unpriced =
      "  - { id: gpt, provider: openai, model: gpt-4.1-mini }\n  - { id: user, provider: openai, model: home-made }";
    expect((await problemsOf({ models: unpriced, more: "limits: { max_cost: 1 }" })).join()).toContain(
      '"max_cost" does not count the calls to "user"',
    );
  });

  it("is one of the models that the doctor looks at, with those that stand in for it", async () => {
    const config = await loadedProject({
      "kindlm.yaml": written({ models: models.replaceAll("gpt-4.1 }", "gpt-4.1, fallback: [openai:gpt-4.1-nano] }") }),
    });
    expect(modelsInUse(config).map(({ id }) => id)).toEqual(["gpt", "user", "openai:gpt-4.1-nano"]);
  });

  it.each<[why: string, config: Written, calls: number]>([
    ["alone", {}, 3],
    ["after a first message", { test: `input: hi\n${ended}` }, 2],
    ["where an answer may end it", { simulated: "{ goal: g, model: user, stop: bye }" }, 2],
    ["for a program", { test: `target: { url: "http://127.0.0.1:9/" }\n${ended}` }, 2],
  ])("adds its calls to the fewest that a run makes: %s", async (_why, config, calls) => {
    const cwd = makeProject({ "kindlm.yaml": written(config) });
    const report = await validateConfig({}, { env: {}, cwd });
    expect(report.success ? report.data.modelCalls : report.error).toBe(calls);
  });
});

describe("a conversation", () => {
  const conversation = (turns: string): string =>
    written({ test: `conversation: ${turns}\nassert: [{ type: contains, value: x }]` }).replace(
      /.*simulated_user:.*\n/,
      "",
    );

  it("may hold images in any turn", async () => {
    const turns =
      '[{ user: "Look {{x}}" }, { user: [{ type: text, text: "at {{x}}" }, { type: image, file: a.png }] }]';
    const config = await loadedProject({
      "kindlm.yaml": conversation(`${turns}\nvars: { x: this }`),
      "a.png": new Uint8Array([1, 2, 3]),
    });
    const [test] = testsOf(config);
    expect(test?.input).toMatchObject({
      userTurns: [
        { content: "Look {{x}}" },
        {
          content: [
            { type: "text" },
            { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AQID" } },
          ],
        },
      ],
    });
  });

  it("says where an image is missing, and which target cannot take one", async () => {
    const missing = await loadProject({ "kindlm.yaml": conversation("[{ user: [{ type: image, file: a.png }] }]") });
    expect(missing.success ? [] : renderAll(missing.error)).toEqual([
      'CONFIG_FILE_REF_ERROR kindlm.yaml:10:54 Image "a.png" not found',
    ]);
    const refused = await loadProject({
      "kindlm.yaml": conversation(
        '[{ user: hi }, { user: [{ type: image, url: "https://x/y.png" }] }]\ntarget: { url: "http://127.0.0.1:9/" }',
      ),
    });
    expect(refused.success ? "" : renderAll(refused.error)[0]).toContain(
      "kindlm.yaml:10:9 An HTTP target takes text only, no images",
    );
  });
});
