import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { beforeAll, describe, expect, it } from "vitest";

import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { readCommonYaml } from "../packages/core/src/config/source/common-yaml/read-common-yaml.js";
import { assertionDefinitions, assertionTypes } from "../packages/core/src/assertions/registry.js";
import { modifierOwners, operators } from "../packages/core/src/matchers/registry.js";
import { providerDefinitions } from "../packages/core/src/providers/registry.js";
import type { EditorSession } from "./support/language-server.js";
import { repository, runCli } from "./support/run-cli.js";

const file = join(repository, "packages", "cli", "schema.json");
const text = readFileSync(file, "utf8");
const schema: object = JSON.parse(text);

const head = `version: 1
models:
  - { id: m, provider: scripted, script: a.yaml }
`;
const test = `${head}suites:
  - name: s
    tests:
      - name: t
        input: hi
`;
const assertion = `${test}        assert:
          - `;

let editor: EditorSession;
beforeAll(async () => {
  const { openEditor } = await import("./support/language-server.js");
  // The language server writes into it.
  editor = openEditor(JSON.parse(text) as object);
});

const names = async (at: string) => (await editor.complete(at)).map(({ name }) => name);

// Throws for what a strict validator does not understand.
// Errors are counted, not read, and code that is not repeated where it is referred to is made sooner.
const asWritten = { inlineRefs: false, messages: false, code: { optimize: false } };
const validator = new Ajv({ strict: true, allErrors: true, ...asWritten }).compile(schema);

describe("the published schema", () => {
  it("has at most 252 kB, compiles strictly without formats, and is what the command prints", async () => {
    expect(text.length).toBeLessThanOrEqual(252_000);
    expect(JSON.parse((await runCli(["schema"], { cwd: repository })).stdout)).toEqual(schema);
  });
});

describe("completion", () => {
  it("offers every assertion type with what it checks", async () => {
    const offers = await editor.complete(`${assertion}type: |>\n`);
    expect(offers.map(({ name }) => name).toSorted()).toEqual(assertionTypes.toSorted());
    const summaries = new Map(assertionDefinitions.map(({ type, summary }) => [type, summary]));
    for (const { name, words } of offers) expect(words).toBe(summaries.get(name));
  });

  it("offers every provider with what it is", async () => {
    for (const at of ["models:\n  - id: m\n    provider: |>\n", "providers:\n  local:\n    type: |>\n"]) {
      const offers = await editor.complete(`version: 1\n${at}`);
      expect(offers.map(({ name, words }) => [name, words])).toEqual(
        providerDefinitions.map(({ type, summary }) => [type, `${summary}.`]),
      );
    }
  });

  it("offers every operator with what it matches", async () => {
    const offers = await editor.complete(`${assertion}type: json\n            value:\n              $|>\n`);
    const words = (offered: string) =>
      (operators[offered] ?? operators[modifierOwners.get(offered) ?? ""]?.modifiers?.[offered])?.summary;
    const expected = [...Object.keys(operators), ...modifierOwners.keys()];
    expect(offers.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
    for (const { name, words: shown } of offers) expect(shown).toBe(words(name));
  });

  it("offers groups until there is a type, and then what the type takes", async () => {
    const common = ["not", "id", "weight", "when", "user_turn", "agent"];
    expect((await names(`${assertion}|>\n`)).toSorted()).toEqual(
      ["type", "all_of", "any_of", "at_least", ...common].toSorted(),
    );
    expect((await names(`${assertion}type: length\n            |>\n`)).toSorted()).toEqual(
      ["max", "min", "unit", ...common].toSorted(),
    );
  });

  it.each([
    ["retry: |>", ["default", "conservative", "aggressive", "production", "disabled"]],
    ["cassette: |>", ['"off"', "record", "replay", "auto"]],
    [
      "suites:\n  - name: s\n    faults:\n      - kind: |>",
      [
        "error",
        "latency",
        "hang",
        "truncate",
        "drop_fields",
        "malformed_json",
        "duplicate",
        "external_edit",
        "inject",
        "cut_stream",
        "malformed_call",
        "refusal",
      ],
    ],
  ])("offers the values of %j", async (at, values) => {
    expect((await names(`version: 1\n${at}\n`)).toSorted()).toEqual(values.toSorted());
  });

  it.each([
    ["", "version: 1\n|>\n"],
    ["a suite", "version: 1\nsuites:\n  - |>\n"],
    ["a test", `${test}        |>\n`],
    ["a model", "version: 1\nmodels:\n  - |>\n"],
    ["a tool", "version: 1\nsuites:\n  - name: s\n    tools:\n      - |>\n"],
    ["an assertion", `${assertion}type: judge\n            |>\n`],
    ["parameters", "version: 1\nmodels:\n  - id: m\n    params:\n      |>\n"],
    ["limits", "version: 1\nlimits:\n  |>\n"],
    ["gates", "version: 1\ngates:\n  |>\n"],
  ])("inserts only what is valid, with a description and no internal name: %s", async (_name, at) => {
    const offers = await editor.complete(at);
    expect(offers.length).toBeGreaterThan(3);
    for (const { name, inserted, words } of offers) {
      expect(words, name).toMatch(/\w{3}/);
      expect(name, name).not.toMatch(/definitions|_\d|\[object|^object/);
      expect(inserted, name).toMatch(/^\S[^:]*:(\s|$)/);
      expect(inserted, name).not.toMatch(/\[object|: undefined|: NaN/);
      const filled = inserted.replaceAll(/\$\{\d+:([^}]*)\}/g, "$1").replaceAll(/\\([$}\\])/g, "$1");
      // What is still to be typed cannot be judged.
      if (/\$\d|\$\{\d+\}|:\s*$|-\s*$/m.test(filled)) continue;
      const [before = ""] = at.split("|>");
      // Editors indent further lines as the one in which they insert.
      const indent = /\n( *)[^\n]*$/.exec(before)?.[1] ?? "";
      const problems = await editor.diagnose(`${before}${filled.replaceAll("\n", `\n${indent}`)}\n`);
      expect(
        problems.filter((problem) => !problem.includes("Missing property")),
        `${name}: ${filled}`,
      ).toEqual([]);
    }
  });
});

describe("hover", () => {
  it.each([
    [`${assertion}{ type: cont|>ains, value: x }`, "The final answer contains the text, or every text of the list."],
    [`${assertion}{ type: tool_called, tool: x, ar|>gs: { a: 1 } }`, "The arguments must match this. Default: any."],
    [`${assertion}{ type: json, value: { $g|>t: 1 } }`, "A number that is more than this one."],
    [`${assertion}{ type: latency, m|>ax: 5s }`, "The most that the latency may be, inclusive."],
    ["version: 1\nret|>ry: default", "How a failed call to a provider is tried again"],
    ["version: 1\nmodels: [{ id: m, prov|>ider: openai }]", "OpenAI's chat completions or Responses API"],
    ["version: 1\ntimeouts:\n  tr|>ial: 5m", "One trial, all its requests and tool calls"],
    ["suites: [{ faults: [{ tool: x, kind: latency, del|>ay: 5s }] }]", "How much longer"],
  ])("describes the use: %j", async (at, words) => {
    const shown = await editor.hover(`${at}\n`);
    expect(shown).toContain(words);
    expect(shown).not.toMatch(/definitions|_\d\b|A value that matches itself/);
    expect(shown.split("Allowed Values")[1]?.split("\n* `").length ?? 0).toBeLessThan(13);
  });
});

/** Validators repeat a mistake for each condition around it: see docs/adr/0066-editor-schema.md. */
const nested = new Map([
  ["operator-in-arguments.yaml", 4],
  ["fault-without-delay.yaml", 4],
  ["test-without-input.yaml", 5],
]);

const folder = join(repository, "test", "fixtures", "mistakes");
const mistakes = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);

describe("a config with one mistake", () => {
  it.each(mistakes)("%s is marked at its place", async (name, config) => {
    expect(await editor.diagnose(config)).toHaveLength(1);
    validator(readCommonYaml(config)?.value);
    expect(validator.errors?.length).toBeLessThanOrEqual(nested.get(name) ?? 3);
  });

  it("is explained by kindlm validate", async () => {
    const shown = await Promise.all(
      mistakes.map(async ([name, config]) => {
        const { code, stdout, stderr } = await runCli(["validate"], { cwd: makeProject({ "kindlm.yaml": config }) });
        return `${name}: exit code ${code}\n${stdout}${stderr}`;
      }),
    );
    await expect(shown.join("\n")).toMatchFileSnapshot("__golden__/mistakes.txt");
  });
});
