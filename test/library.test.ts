import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseYaml } from "../packages/core/src/config/source/yaml-document.js";
import {
  evaluateAssertion,
  listCases,
  runTests,
  validateConfig,
  type AssertionConfig,
  type Diagnostic,
  type KindlmConfig,
  type RunResult,
  type RunTestsOptions,
  type TrialResult,
} from "../packages/core/dist/index.js";
import { loadRun } from "../packages/core/dist/commands/runs.js";
import { repository } from "./support/run-cli.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";

const toolCalls = [{ tool: "lookup_order", args: { order_id: "ORD-1" } }];

describe("evaluateAssertion", () => {
  it("needs an assertion and a trial, and nothing else", async () => {
    const assertion: AssertionConfig = {
      any_of: [
        { type: "tool_called", tool: "lookup_order", args: { order_id: { $regex: "^ORD-" } }, times: 1 },
        { type: "contains", value: ["refund", "order"] },
      ],
      id: "asks",
    };
    expect(await evaluateAssertion({ assertion, trial: { toolCalls } })).toMatchObject({
      success: true,
      data: { type: "any_of", id: "asks", pass: true },
    });
  });

  it("compiles with the types, keys and values of the registry only", async () => {
    const trial = { toolCalls, output: "" };
    const outcomes = [
      // @ts-expect-error the type is misspelt
      await evaluateAssertion({ assertion: { type: "tool_caled", tool: "x" }, trial }),
      // @ts-expect-error the key is misspelt
      await evaluateAssertion({ assertion: { type: "tool_called", tol: "x" }, trial }),
      // @ts-expect-error the value has another type
      await evaluateAssertion({ assertion: { type: "tool_called", tool: "x", times: "once" }, trial }),
      // @ts-expect-error a required key is missing
      await evaluateAssertion({ assertion: { type: "tool_called" }, trial }),
      // @ts-expect-error a member of a group is misspelt
      await evaluateAssertion({ assertion: { all_of: [{ type: "contain", value: "x" }] }, trial }),
    ];
    expect(outcomes.map((outcome) => (outcome.success ? outcome : outcome.error.code))).toEqual(
      outcomes.map(() => "CONFIG_VALIDATION_ERROR"),
    );
  });

  it("finds files in the folder that it is given", async () => {
    const cwd = makeProject({ "order.json": '{ "type": "object" }' });
    const assertion = { type: "schema", schema_file: "order.json" } as const;
    expect(await evaluateAssertion({ assertion, trial: { output: "{}" } }, { cwd })).toMatchObject({
      data: { pass: true },
    });
    const elsewhere = await evaluateAssertion({ assertion, trial: { output: "{}" } }, { cwd: join(cwd, "none") });
    expect(elsewhere).toMatchObject({ error: { code: "SCHEMA_FILE_ERROR" } });
  });
});

describe("the environment", () => {
  it("is that of the process in all that the caller leaves out", async () => {
    expect(await validateConfig({ paths: ["kindlm.yaml.example"] })).toMatchObject({
      success: true,
      data: { files: ["kindlm.yaml.example"] },
    });
    const command: [string, ...string[]] = [process.execPath, "-e", "process.exit(process.env.PATH ? 0 : 1)"];
    const checked = { assertion: { type: "command", command }, trial: {} } as const;
    expect(await evaluateAssertion(checked)).toMatchObject({ data: { pass: true } });
    expect(await evaluateAssertion(checked, { env: {} })).toMatchObject({ data: { pass: false } });
  });
});

const model = { id: "m", provider: "scripted", script: { otherwise: { text: "hello" } } } as const;
const configOf = (assertions: readonly AssertionConfig<`{{${string}}}`>[], more: object = {}): KindlmConfig => ({
  version: 1,
  models: [model],
  suites: [
    { name: "s", tests: [{ name: "t", input: "hi", assert: [{ type: "contains", value: "hello" }] }] },
    { name: "u", tests: [{ name: "v", input: "hi", assert: assertions, ...more }] },
  ],
});
const passing: AssertionConfig[] = [{ type: "contains", value: "hello" }];
const hello: KindlmConfig = configOf(passing);

/** The identity of each trial that the run stored. */
function identitiesIn(root: string, { run }: RunResult): readonly string[] {
  const lines = readFileSync(join(root, ".kindlm/runs", run.id, "journal.jsonl"), "utf8")
    .trim()
    .split("\n");
  const records = lines.map((line) => JSON.parse(line) as { kind: string; identity: object; trial: TrialResult });
  return records
    .filter(({ kind }) => kind === "trial")
    .map(({ identity, trial }) => JSON.stringify([trial.caseId, trial.trial, identity]))
    .toSorted();
}

const runObject = async (options: RunTestsOptions, cwd: string) => {
  const ran = await runTests(options, { env: {}, cwd });
  if (!ran.success) throw new Error(JSON.stringify(ran.error));
  return ran.data;
};

const diagnosticsOf = async (config: unknown): Promise<readonly Diagnostic[]> => {
  const listed = await listCases({ config: config as KindlmConfig }, { env: {}, cwd: makeProject({}) });
  if (listed.success) return listed.data.diagnostics;
  return listed.error.code === "CONFIG_VALIDATION_ERROR" ? (listed.error.details?.diagnostics ?? []) : [];
};

describe("a config object", () => {
  it("has the identities of the file with the same values", async () => {
    const text = readFileSync(join(repository, "kindlm.yaml.example"), "utf8");
    const parsed = await parseYaml({ path: "", file: "", text, order: 0 });
    const config = (parsed.success ? parsed.data.value : null) as KindlmConfig;
    const asFile = makeProject({});
    const asObject = makeProject({});
    const fromFile = await runObject({ paths: ["kindlm.yaml.example"], root: asFile }, repository);
    const fromObject = await runObject({ config, root: asObject }, repository);
    expect(fromObject.summary).toMatchObject({ total: fromFile.summary.total, passed: fromFile.summary.passed });
    const identities = identitiesIn(asObject, fromObject);
    expect(identities).toEqual(identitiesIn(asFile, fromFile));
    expect(identities.length).toBeGreaterThan(10);
  });

  it("is read once, and its run can be read back", async () => {
    const cwd = makeProject({});
    const config = structuredClone(hello) as { suites: unknown };
    const change = (): void => void (config.suites = null);
    const ran = await runTests({ config: config as KindlmConfig }, { env: {}, cwd, onEvent: change });
    if (!ran.success) throw new Error(ran.error.message);
    const { run, verdict, suites } = ran.data;
    expect([verdict, suites[0]?.tests[0]?.position]).toEqual(["passed", null]);
    const loaded = await loadRun({ config: hello }, { cwd });
    expect(loaded).toMatchObject({ success: true, data: { paths: [], result: { run: { id: run.id } } } });
  });

  it.each<[what: string, config: unknown, path: string | undefined, message: string]>([
    [
      "an assertion",
      configOf([{ type: "contain" } as never]),
      "suites[1].tests[0].assert[0].type",
      "Unknown assertion",
    ],
    ["a key", { ...hello, modles: [] }, "modles", 'Unknown key "modles"'],
    ["no mapping", [], undefined, "A config must be an object"],
    ["a function", configOf(passing, { vars: { now: () => 1 } }), "suites[1].tests[0].vars.now", "a function"],
    ["a class", configOf(passing, { vars: { now: new Date() } }), "suites[1].tests[0].vars.now", "of the class Date"],
    ["digits", configOf(passing, { vars: { n: 2 ** 60 } }), "suites[1].tests[0].vars.n", "more digits than a number"],
    ["no number", configOf(passing, { vars: { n: Number.NaN } }), "suites[1].tests[0].vars.n", "NaN is not a number"],
  ])("is reported at its path: %s", async (_what, config, path, message) => {
    const [first] = await diagnosticsOf(config);
    expect(first).toMatchObject({ severity: "error", message: expect.stringContaining(message) });
    expect([first?.path, first?.position, first?.frame]).toEqual([path, undefined, undefined]);
  });

  it("may repeat objects, and not contain itself", async () => {
    const shared: Record<string, unknown> = { a: 1 };
    expect(await diagnosticsOf(configOf(passing, { vars: { x: shared, y: shared } }))).toEqual([]);
    shared["self"] = shared;
    expect(await diagnosticsOf(configOf(passing, { vars: { x: shared } }))).toMatchObject([
      { path: "suites[1].tests[0].vars.x.self", message: "An object of the config contains itself" },
    ]);
  });

  it("names an assertion that is not valid for one row", async () => {
    const config = configOf([{ type: "contains", value: "hello", weight: "{{w}}" } as never], {
      rows: [{ w: 1 }, { w: -1 }],
    });
    const cwd = makeProject({});
    const { suites } = await runObject({ config }, cwd);
    const errored = suites.flatMap(({ tests }) => tests).filter(({ status }) => status === "errored");
    expect(errored).toMatchObject([
      { error: { details: { diagnostics: [{ path: "suites[1].tests[0].assert[0]" }] } } },
    ]);
  });

  it("is needed again to resume its run", async () => {
    const cwd = makeProject({});
    const failing = configOf([{ type: "contains", value: "bye" }]);
    const { run } = await runObject({ config: failing }, cwd);
    const alone = await runTests({ resume: run.id }, { env: {}, cwd });
    expect(alone).toMatchObject({
      success: false,
      error: { code: "CONFIG_VALIDATION_ERROR", message: expect.stringContaining("with a config object") },
    });
    const again = await runObject({ config: hello, resume: run.id }, cwd);
    expect([again.run.id, again.verdict]).toEqual([run.id, "passed"]);
    const rerun = await runTests({ config: hello, rerunFailed: run.id }, { env: {}, cwd });
    expect(rerun).toMatchObject({ success: false, error: { details: { reason: "nothing_to_rerun" } } });
  });

  it("cannot be combined with files", async () => {
    expect(await runTests({ config: hello, paths: ["kindlm.yaml"] }, { env: {}, cwd: makeProject({}) })).toMatchObject({
      error: { message: '"config" and "paths" cannot be combined' },
    });
  });
});
