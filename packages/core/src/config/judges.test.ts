import { describe, expect, it } from "vitest";
import { loadedProject, loadProject, renderAll, renderDiagnostic, testsOf } from "../__fixtures__/config-project.js";
import { makeProject } from "../__fixtures__/make-project.js";
import { validateConfig } from "../commands/validate-config.js";
import { modelsInUse } from "../doctor/collect-endpoints.js";

const judged = "{ type: judge, criteria: c }";
const models = `
  - { id: gpt, provider: openai, model: gpt-4.1-mini }
  - { id: claude, provider: anthropic, model: claude-sonnet-4-5 }`;

interface Written {
  models?: string;
  defaults?: string;
  suite?: string;
  test?: string;
  assert?: string;
}

const written = ({ defaults = "{}", suite = "", test = "", assert = judged, ...rest }: Written): string => `version: 1
models:${rest.models ?? models}
defaults: ${defaults}
suites:
  - name: s
    tests:
      - name: t
        input: hi
        ${test}
        assert: [${assert}]
    ${suite}
`;

const loaded = (config: Written) => loadedProject({ "kindlm.yaml": written(config) });

async function problemsOf(config: Written): Promise<readonly string[]> {
  const outcome = await loadProject({ "kindlm.yaml": written(config) });
  return outcome.success ? outcome.data.warnings.map(renderDiagnostic) : renderAll(outcome.error);
}

/** The judges of the test by the names that assertions write. */
async function judgesOf(config: Written): Promise<Record<string, string>> {
  const [test] = testsOf(await loaded(config));
  return Object.fromEntries([...(test?.judges ?? [])].map(([name, { model }]) => [String(name), model.id]));
}

describe("the judge of an assertion", () => {
  it.each<[what: string, config: Written, judges: Record<string, string>]>([
    ["that of the defaults", { defaults: "{ judge: claude }" }, { null: "claude" }],
    ["that of the suite before it", { defaults: "{ judge: mistral:m }", suite: "judge: claude" }, { null: "claude" }],
    ["that of the test before both", { suite: "judge: mistral:m", test: "judge: claude" }, { null: "claude" }],
    [
      "its own before all of them",
      { test: "judge: mistral:m", assert: "{ type: judge, criteria: c, model: claude }" },
      { claude: "claude" },
    ],
    ["a model by its provider", { test: "judge: mistral:mistral-small" }, { null: "mistral:mistral-small" }],
    [
      "each its own",
      { test: "judge: claude", assert: `{ any_of: [${judged}, { type: judge, criteria: d, model: "mistral:m" }] }` },
      { null: "claude", "mistral:m": "mistral:m" },
    ],
    ["none where no assertion asks one", { test: "judge: claude", assert: "{ type: contains, value: x }" }, {}],
    [
      "told by a variable",
      { test: "vars: { who: claude }", assert: '{ type: judge, criteria: c, model: "{{who}}" }' },
      { claude: "claude" },
    ],
  ])("is %s", async (_what, config, judges) => {
    expect(await judgesOf(config)).toEqual(judges);
  });

  it("knows whether it has a say in the conversation", async () => {
    const retry = `retry_until: { assert: [${judged}] }`;
    const steering = async (config: Written) => testsOf(await loaded(config))[0]?.judges.get(null)?.steers;
    expect(await steering({ test: "judge: claude" })).toBe(false);
    expect(await steering({ test: `judge: claude\n        ${retry}`, assert: "{ type: contains, value: x }" })).toBe(
      true,
    );
    expect(await steering({ test: `judge: claude\n        ${retry}` })).toBe(true);
  });

  it.each<[where: string, config: Written]>([
    ["the defaults", { defaults: "{ judge: claude }" }],
    ["the suite", { suite: "judge: claude" }],
    ["the test", { test: "judge: claude" }],
    ["the assertion", { assert: "{ all_of: [{ type: judge, criteria: c, model: claude }] }" }],
    [
      "retry_until",
      {
        test: "retry_until: { assert: [{ type: judge, criteria: c, model: claude }] }",
        assert: "{ type: contains, value: x }",
      },
    ],
  ])("is not tested where only %s name it", async (_where, config) => {
    const [test] = testsOf(await loaded(config));
    expect(test?.models.map(({ id }) => id)).toEqual(["gpt"]);
  });

  it("is among the models in use, with what stands in for it", async () => {
    const config = await loaded({
      models: `${models}\n  - { id: big, provider: openai, model: gpt-4.1, fallback: [claude] }`,
      defaults: "{ judge: big, models: [gpt] }",
    });
    expect(modelsInUse(config).map(({ id }) => id)).toEqual(["gpt", "big", "claude"]);
    expect(config.warnings).toEqual([]);
  });

  it.each<[why: string, config: Written, problem: string]>([
    [
      "that is missing",
      {},
      "invalid kindlm.yaml:12:26 This assertion needs a judge, but none is set | Add judge: <model> to defaults",
    ],
    ["that is not known", { test: "judge: claud" }, 'kindlm.yaml:11:16 Unknown model "claud" | Did you mean "claude"?'],
    ["that is not known to the suite", { suite: "judge: claud" }, 'kindlm.yaml:13:12 Unknown model "claud"'],
    ["that is not known to the defaults", { defaults: "{ judge: claud }" }, 'kindlm.yaml:5:20 Unknown model "claud"'],
    [
      "that is not known and not asked",
      { test: "judge: claud", assert: "{ type: contains, value: x }" },
      'kindlm.yaml:11:16 Unknown model "claud"',
    ],
    [
      "that the assertion does not know",
      { assert: "{ type: judge, criteria: c, model: claud }" },
      'kindlm.yaml:12:53 Unknown model "claud"',
    ],
    [
      "that is tested",
      { defaults: "{ judge: gpt, models: [gpt] }" },
      'kindlm.yaml:5:20 "gpt" judges itself here: the judge is the model under test | Name another model as the judge',
    ],
    [
      "that is tested by another id",
      { test: "models: [gpt]", assert: "{ type: judge, criteria: c, model: openai:gpt-4.1-mini }" },
      'kindlm.yaml:12:53 "gpt" judges itself here',
    ],
    [
      "whose fallback is tested",
      {
        models:
          "\n  - { id: gpt, provider: openai, model: gpt-4.1-mini }\n  - { id: j, provider: openai, model: gpt-4.1, fallback: [gpt] }",
        defaults: "{ judge: j, models: [gpt] }",
      },
      '"gpt" judges itself here: a fallback of the judge "j" is the model under test | Name another model as the judge',
    ],
    [
      "that is the only model",
      { models: "\n  - { id: gpt, provider: openai, model: gpt-4.1 }", defaults: "{ judge: gpt }" },
      "All declared models are simulated users, judges",
    ],
    [
      "whose price is not known",
      {
        models: "\n  - { id: gpt, provider: openai, model: gpt-4.1 }\n  - { id: claude, provider: openai, model: x }",
        test: "judge: claude",
        suite: "\nlimits: { max_cost: 1 }",
      },
      '"max_cost" does not count the calls to "claude"',
    ],
  ])("is told of: one %s", async (_why, config, problem) => {
    expect((await problemsOf(config)).join("\n")).toContain(problem);
  });

  it.each<[calls: number, assert: string]>([
    [2, judged],
    [4, "{ all_of: [{ type: judge, criteria: c, samples: 3 }] }"],
    [1, "{ type: judge, criteria: c, when: { output: x } }"],
  ])("is asked as validate says: %i calls at least", async (calls, assert) => {
    const cwd = makeProject({ "kindlm.yaml": written({ assert, defaults: "{ judge: claude }" }) });
    const report = await validateConfig({}, { env: {}, cwd });
    expect(report.success ? report.data.modelCalls : report.error).toBe(calls);
  });

  it("may be a script beside another", async () => {
    const script = (id: string) =>
      `\n  - { id: ${id}, provider: scripted, script: { rules: [], otherwise: { text: x } } }`;
    expect(await problemsOf({ models: script("agent") + script("critic"), defaults: "{ judge: critic }" })).toEqual([]);
  });
});

describe("the options of a judge", () => {
  it.each<[why: string, options: string, problem: string]>([
    ["no criteria", "{ type: judge }", '"criteria" is missing'],
    ["a threshold in percent", "{ type: judge, criteria: c, threshold: 80 }", '"threshold" must be at most 1'],
    ["a mistyped key", "{ type: judge, criteria: c, treshold: 1 }", 'Did you mean "threshold"?'],
    [
      "a single anchor",
      "{ type: judge, criteria: c, rubric: [{ score: 1, when: x }] }",
      '"rubric" must have at least 2 entries',
    ],
    [
      "an anchor twice",
      "{ type: judge, criteria: c, rubric: [{ score: 1, when: x }, { score: 1, when: y }] }",
      "The score 1 occurs twice",
    ],
    ["items and anchors", "{ type: judge, criteria: c, rubric: [x, { score: 1, when: y }] }", 'Unknown key "score"'],
    ["an empty rubric", "{ type: judge, criteria: c, rubric: [] }", '"rubric" must'],
    ["a mistyped item", "{ type: judge, criteria: c, rubric: [{ item: x, wieght: 2 }] }", 'Unknown key "wieght"'],
  ])("are told of: %s", async (_why, assert, problem) => {
    const problems = (await problemsOf({ assert, defaults: "{ judge: claude }" })).join("\n");
    expect(problems).toContain(problem);
  });
});
