import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listCases, runTests, type Diagnostic, type RunResult } from "../packages/core/dist/index.js";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { impatientModules, sharedModules } from "../packages/core/src/__fixtures__/shared-modules.js";

const coreUrl = createRequire(import.meta.url).resolve("../packages/core/dist/index.js");

const extension = `import { defineAssertion } from ${JSON.stringify(coreUrl)};
export const polite = defineAssertion({
  type: "is_polite",
  summary: "The answer is polite.",
  options: {
    language: { type: "string", enum: ["en", "de"] },
    words: { type: "array", items: { type: "string" }, required: false },
    most: { type: "integer", default: 3 },
  },
  evaluate: ({ language, most, words = [] }, trial) => ({
    pass: trial.output.includes(language === "en" ? "please" : "bitte"),
    message: [language, most, ...words].join(),
  }),
});
export const exits = defineAssertion({ type: "exits", evaluate: () => process.exit(0) });
// A loop that leaves the core to others: to its worker it is like any other.
const board = new Int32Array(new SharedArrayBuffer(4));
export const loops = defineAssertion({ type: "loops", evaluate: () => { for (;;) Atomics.wait(board, 0, 0, 20); } });
export const changes = defineAssertion({ type: "changes", evaluate: (_options, trial) => { trial.output = "x"; return true; } });
export const unrelated = 3;
`;

const configOf = (assertions: string, extensions = "[ext.mjs]", more = ""): string => `version: 1
extensions: ${extensions}
models: [{ id: m, provider: scripted, script: { otherwise: { text: "Yes, please" } } }]
suites:
  - name: s
    tests:
      - name: t
        input: hi
${more}        assert:
${assertions}
`;

const projectOf = (assertions: string, extensions?: string, files: Record<string, string> = {}): string =>
  makeProject({ "ext.mjs": extension, "kindlm.yaml": configOf(assertions, extensions), ...files });

async function run(
  cwd: string,
  more: object = {},
  modules: object = { openModules: sharedModules },
): Promise<RunResult> {
  const ran = await runTests({ ...more }, { env: {}, cwd, ...modules });
  if (!ran.success) throw new Error(JSON.stringify(ran.error));
  return ran.data;
}

async function assertionsOf(result: RunResult): Promise<readonly object[]> {
  const found: object[] = [];
  for await (const trial of result.trials()) found.push(...trial.assertions);
  return found;
}

async function problemsOf(cwd: string): Promise<readonly Diagnostic[]> {
  const listed = await listCases({}, { env: {}, cwd, openModules: sharedModules });
  if (listed.success) return listed.data.diagnostics;
  const { error } = listed;
  return error.code === "CONFIG_VALIDATION_ERROR" || error.code === "CONFIG_FILE_REF_ERROR"
    ? (error.details?.diagnostics ?? [])
    : [];
}

describe.concurrent("an assertion that a module registers", () => {
  it("is evaluated like any other, with its defaults, in groups and under not", async () => {
    const cwd = projectOf(`          - { type: is_polite, language: en, words: [a, b], id: mine }
          - { type: is_polite, language: de, most: 5, not: true }
          - any_of: [{ type: is_polite, language: de }, { type: is_polite, language: en }]`);
    const result = await run(cwd);
    expect(result.verdict).toBe("passed");
    expect(await assertionsOf(result)).toMatchObject([
      { type: "is_polite", id: "mine", pass: true, message: "en,3,a,b" },
      { type: "is_polite", pass: true },
      { type: "any_of", pass: true },
    ]);
  });

  it("works with placeholders and in suite files", async () => {
    const suite = `name: other
tests:
  - name: rows
    input: hi
    rows: [{ lang: en }, { lang: de }]
    assert: [{ type: is_polite, language: "{{lang}}" }]
`;
    const cwd = makeProject({
      "ext.mjs": extension,
      "other.yaml": suite,
      "kindlm.yaml": `version: 1
extensions: [ext.mjs]
models: [{ id: m, provider: scripted, script: { otherwise: { text: "Yes, please" } } }]
suites: [other.yaml]
`,
    });
    const { suites } = await run(cwd);
    expect(suites[0]?.tests.map(({ status }) => status)).toEqual(["passed", "failed"]);
  });

  it("is checked like a built-in one, each problem at its place", async () => {
    const problems = await problemsOf(
      projectOf(`          - { type: is_polit, language: en }
          - { type: is_polite, language: en, wrds: [] }
          - { type: is_polite, language: fr }
          - { type: is_polite, language: en, most: 1.5 }
          - { type: is_polite }
          - is_polite`),
    );
    expect(
      problems.map(({ position, message, hint = "" }) => [position?.line, position?.column, message, hint]),
    ).toEqual([
      [10, 21, 'Unknown assertion type "is_polit"', expect.stringContaining('Did you mean "is_polite"?')],
      [11, 46, 'Unknown key "wrds"', 'Did you mean "words"?'],
      [12, 42, '"language" must be "en" or "de"', ""],
      [13, 52, expect.stringContaining('"most" must be a whole number'), ""],
      [14, 13, '"language" must be "en" or "de"', ""],
      [15, 13, "An assertion must be an object", "Write { type: is_polite }"],
    ]);
  });

  it("cannot end the run, hold it up, or change the trial", async () => {
    const cwd = makeProject({
      "ext.mjs": extension,
      "kindlm.yaml": `version: 1
extensions: [ext.mjs]
models: [{ id: m, provider: scripted, script: { otherwise: { text: "Yes, please" } } }]
suites:
  - name: s
    tests:
      - { name: a, input: hi, assert: [{ type: exits }] }
      - { name: b, input: hi, assert: [{ type: loops }], timeouts: { tool: 300ms } }
      - { name: c, input: hi, assert: [{ type: changes }] }
      - { name: d, input: hi, assert: [{ type: is_polite, language: en }] }
`,
    });
    const [suite] = (await run(cwd, { concurrency: 1 }, { openModules: impatientModules })).suites;
    const outcomes = suite?.tests.map((test) => (test.status === "errored" ? test.error.message : test.status));
    expect(outcomes).toEqual([
      expect.stringContaining('The assertion "exits" of'),
      expect.stringContaining("did not answer within 300 ms"),
      expect.stringContaining("threw: Cannot assign to read only property 'output'"),
      "passed",
    ]);
  });

  it("is evaluated again on resume once its module has changed, with placeholders too", async () => {
    const cwd = projectOf(`          - { type: is_polite, language: "{{lang}}" }`);
    const file = join(cwd, "kindlm.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("input: hi", "input: hi\n        vars: { lang: en }"));
    const first = await run(cwd);
    expect(first.verdict).toBe("passed");
    writeFileSync(join(cwd, "ext.mjs"), extension.replace('"please"', '"thanks"'));
    // A worker that is shared would remember the module.
    expect((await run(cwd, { resume: first.run.id }, {})).verdict).toBe("failed");
  });

  it("is not registered by a module that cannot be used, which is reported at its place", async () => {
    const defining = (written: string): string =>
      `import { defineAssertion } from ${JSON.stringify(coreUrl)}; export const one = defineAssertion(${written});`;
    const modules: Record<string, string> = {
      "empty.mjs": "export const a = 1;",
      "broken.mjs": "export const a = ;",
      "throws.mjs": "throw new Error('no way');",
      "taken.mjs": defining('{ type: "contains", evaluate: () => true }'),
      "again.mjs": defining('{ type: "is_polite", evaluate: () => true }'),
      "name.mjs": defining('{ type: "Is polite", evaluate: () => true }'),
      "key.mjs": defining('{ type: "mine", options: { weight: { type: "number" } }, evaluate: () => true }'),
      "kind.mjs": defining('{ type: "mine", options: { n: { type: "date" } }, evaluate: () => true }'),
    };
    const names = ["none.mjs", ...Object.keys(modules)];
    const list = `\n${["ext.mjs", ...names].map((name) => `  - ${name}\n`).join("")}`;
    const problems = await problemsOf(projectOf("          - { type: exits }", list, modules));
    const words = [
      "not found",
      "it registers nothing",
      "cannot be loaded",
      "no way",
      '"contains" is the type of a built-in assertion',
      '"is_polite" is registered twice',
      'its "type" must be',
      'its option "weight" has the name of a key that every assertion has',
      "its options.n.type must be",
    ];
    expect(problems.map(({ position, message }) => [position?.line, message])).toEqual(
      names.map((name, index): unknown[] => [
        4 + index,
        expect.stringMatching(new RegExp(`${name}".*${words[index] ?? ""}`)),
      ]),
    );
  });
});
