import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryPresets } from "../resilience/retry-policy.js";
import {
  loadedProject,
  loadProject,
  minimalConfig,
  renderAll,
  renderDiagnostic,
  testsOf,
} from "../__fixtures__/config-project.js";
import { makeProject } from "../__fixtures__/make-project.js";
import { createRedactor } from "../redaction/redactor.js";
import { loadConfig } from "./load-config.js";
import { maskSecrets } from "./source/secret-literals.js";

const contains = "assert: [{ type: contains, value: hi }]";

describe("the built-in values", () => {
  it("are those of the documented table", async () => {
    const config = await loadedProject({ "kindlm.yaml": minimalConfig() });
    expect(config).toMatchObject({
      files: ["kindlm.yaml"],
      project: null,
      gates: {},
      exitOn: "tests",
      concurrency: 8,
      seed: 1,
      maxCostUsd: null,
      runTimeoutMs: null,
      keepRuns: 100,
      timeouts: {
        connectMs: 10_000,
        headersMs: 60_000,
        idleMs: 30_000,
        requestMs: 60_000,
        toolMs: 60_000,
        trialMs: 300_000,
      },
      warnings: [],
    });
    const [test] = testsOf(config);
    expect(test).toMatchObject({
      name: "t",
      tags: [],
      only: false,
      skip: null,
      allowFailure: null,
      critical: false,
      group: null,
      prompts: [{ id: null, system: null }],
      rows: null,
      vars: {},
      threshold: null,
      runs: 1,
      pass: null,
      params: {},
      tools: [],
      toolErrors: "envelope",
      recommendations: null,
      limits: { maxTurns: 10, maxToolCalls: 50, maxTrialCostUsd: null },
      timeouts: {},
    });
    expect(test?.models).toMatchObject([{ id: "m", params: {}, timeouts: {}, deterministic: false }]);
    expect(test?.models[0]?.retry).toEqual(retryPresets.default);
    expect(test?.position).toEqual({ file: "kindlm.yaml", line: 6, column: 15, length: 1 });
  });
});

describe("where a value is looked up", () => {
  const levels = (where: { test?: string; suite?: string; top?: string }): string => `version: 1
models: [{ id: m, provider: openai, model: x }, { id: n, provider: openai, model: y }]
${where.top ?? ""}
suites:
  - name: s
    ${where.suite ?? ""}
    tests:
      - name: t
        input: hello
        ${contains}
        ${where.test ?? ""}
`;
  it.each([
    ["models", "models: [n]", "models: [m]", "defaults: { models: [m] }", { models: [{ id: "n" }] }],
    ["models of the suite", "", "models: [n]", "defaults: { models: [m] }", { models: [{ id: "n" }] }],
    ["models of the defaults", "", "", "defaults: { models: [n] }", { models: [{ id: "n" }] }],
    ["models declared", "", "", "", { models: [{ id: "m" }, { id: "n" }] }],
    ["runs", "runs: 2", "runs: 3", "defaults: { runs: 4 }", { runs: 2, pass: null }],
    ["runs of the suite", "", "runs: 3", "defaults: { runs: 4 }", { runs: 3 }],
    ["runs of the defaults and pass", "pass: 2", "", "defaults: { runs: 4 }", { runs: 4, pass: 2 }],
    ["runs told by pass", "pass: 4/5", "", "", { runs: 5, pass: 4 }],
    [
      "limits",
      "limits: { max_turns: 2 }",
      "limits: { max_turns: 3, max_tool_calls: 4 }",
      "limits: { max_trial_cost: 1 }",
      { limits: { maxTurns: 2, maxToolCalls: 4, maxTrialCostUsd: 1 } },
    ],
    [
      "timeouts",
      "timeouts: { tool: 1s }",
      "timeouts: { tool: 2s, request: 3s }",
      "timeouts: { idle: 1s }",
      { timeouts: { toolMs: 1_000, requestMs: 3_000 } },
    ],
    ["vars", "vars: { a: 1 }", "vars: { a: 2, b: 2 }", "vars: { a: 3, b: 3, c: 3 }", { vars: { a: 1, b: 2, c: 3 } }],
    ["tags", "tags: [x, y]", "tags: [y, z]", "", { tags: ["y", "z", "x"] }],
    ["skip", "skip: true", "", "", { skip: "skip: true" }],
    ["skip of the suite", "", "skip: later", "", { skip: "later" }],
    ["skip taken back", "skip: false", "skip: later", "", { skip: null }],
    ["tool_errors", "tool_errors: plain", "tool_errors: none", "", { toolErrors: "plain" }],
    ["recommendations", "", "recommendations: builtin", "", { recommendations: "builtin" }],
  ])("finds %s", async (_name, test, suite, top, expected) => {
    const config = await loadedProject({ "kindlm.yaml": levels({ test, suite, top }) });
    expect(testsOf(config)[0]).toMatchObject(expected);
  });

  it("adds up the assertions: own, suite, defaults", async () => {
    const top = "defaults: { assert: [{ type: contains, value: c }] }";
    const config = await loadedProject({
      "kindlm.yaml": levels({ suite: "assert: [{ type: contains, value: b }]", top }),
    });
    expect(testsOf(config)[0]?.assertions.map(({ raw }) => (raw as { value: string }).value)).toEqual(["hi", "b", "c"]);
  });

  it("finds retry, timeouts, params and prices of a model", async () => {
    const config = await loadedProject({
      "kindlm.yaml": minimalConfig(
        contains,
        "retry: conservative\nproviders: { openai: { retry: production }, anthropic: {} }",
      ).replace(
        /models: .*/,
        `models:
  - { id: a, provider: openai, model: x, retry: { preset: aggressive, max_attempts: 9, total: 1m }, timeouts: { request: 2m }, params: { temperature: 0 }, pricing: { input: 1, output: 2 } }
  - { id: b, provider: openai, model: x }
  - { id: c, provider: anthropic, model: x }`,
      ),
    });
    const [a, b, c] = testsOf(config)[0]?.models ?? [];
    expect(a?.retry).toEqual({ ...retryPresets.aggressive, maxAttempts: 9, totalMs: 60_000 });
    expect(b?.retry).toEqual(retryPresets.production);
    expect(c?.retry).toEqual(retryPresets.conservative);
    expect(a).toMatchObject({
      timeouts: { requestMs: 120_000 },
      params: { temperature: 0 },
      pricing: { input: 1, output: 2 },
    });
    expect(b?.pricing).toBe(null);
  });
});

describe("assertions with placeholders", () => {
  it("are parsed once for all cases only without any", async () => {
    const test = 'vars: { a: hi }\nassert: [{ type: contains, value: "{{a}}" }, { type: contains, value: x }]';
    const config = await loadedProject({ "kindlm.yaml": minimalConfig(test) });
    expect(testsOf(config)[0]?.assertions.map(({ parsed }) => parsed === null)).toEqual([true, false]);
  });

  it("are tried with the first row, so that their problems are found", async () => {
    const test = 'rows: [{ n: text }]\nassert: [{ type: max_tool_calls, max: "{{n}}" }]';
    const loaded = await loadProject({ "kindlm.yaml": minimalConfig(test) });
    if (loaded.success) throw new Error("loaded");
    expect(renderAll(loaded.error)[0]).toContain("kindlm.yaml:9:47");
  });
});

describe("suites", () => {
  const suite = (name: string, extra = ""): string =>
    `name: ${name}\n${extra}tests: [{ name: t, input: hi, tags: [x], rows: [{ id: a }, { id: b }], ${contains} }]\n`;
  const config = (suites: string): string =>
    `version: 1\nmodels: [{ id: m, provider: openai, model: x }]\nsuites: ${suites}\n`;

  it("come from files and globs, with paths relative to the file that names them", async () => {
    const loaded = await loadedProject({
      "kindlm.yaml": config("[suites/*.yaml, more/c.yml]"),
      "suites/b.yaml": suite("b", "system_prompt_file: b.md\n"),
      "suites/b.md": "Be brief.",
      "suites/a.yaml": suite("a"),
      "more/c.yml": `$schema: x\n${suite("c")}`,
    });
    expect(loaded.suites.map(({ name, file }) => `${name} ${file}`)).toEqual([
      "a suites/a.yaml",
      "b suites/b.yaml",
      "c more/c.yml",
    ]);
    expect(testsOf(loaded)[1]?.prompts).toEqual([{ id: null, system: "Be brief." }]);
  });

  it("are broken one by one, with their cases as far as they can be told", async () => {
    const loaded = await loadedProject({
      "kindlm.yaml": config("[good.yaml, prompt.yaml, shape.yaml, missing.yaml, syntax.yaml, twice.yaml]"),
      "good.yaml": suite("good"),
      "prompt.yaml": suite("prompt", "system_prompt_file: prompts/missing.txt\n"),
      "shape.yaml": suite("shape").replace("tags: [x]", "tags: 1, models: [q]"),
      "syntax.yaml": "name: {{x}}\n",
      "twice.yaml": suite("good"),
    });
    const outlines = loaded.suites.map((found) => {
      if (found.status === "ready") return `${found.name} ready`;
      const tests = found.tests.map((test) => `${test.name}@${test.models.join("+")}[${test.rowKeys?.join("+")}]`);
      return `${found.name} ${found.error.code} ${found.error.message} ${tests.join()}`;
    });
    expect(outlines).toEqual([
      "good ready",
      'prompt CONFIG_FILE_REF_ERROR system_prompt_file "prompts/missing.txt" not found t@m[a+b]',
      'shape CONFIG_VALIDATION_ERROR "tags" must be a list, but it is a number t@q[a+b]',
      'missing.yaml CONFIG_FILE_REF_ERROR Suite file "missing.yaml" not found ',
      "syntax.yaml CONFIG_PARSE_ERROR {{x}} without quotes is a YAML object, not a placeholder ",
      'good CONFIG_VALIDATION_ERROR The suite name "good" is already used in good.yaml t@m[a+b]',
    ]);
  });

  it("stop the run when none is valid, or when the top level is not", async () => {
    const files = { "kindlm.yaml": config("[a.yaml, b.yaml]"), "a.yaml": "name: a\n", "b.yaml": suite("b", "x: 1\n") };
    const none = await loadProject(files);
    if (none.success) throw new Error("loaded");
    expect(renderAll(none.error)).toEqual([
      'invalid a.yaml:1:1 "tests" is missing; expected a list',
      expect.stringContaining('invalid b.yaml:2:1 Unknown key "x"'),
    ]);
    const top = await loadProject({
      ...files,
      "kindlm.yaml": `${config("[good.yaml, a.yaml]")}colour: red\n`,
      "good.yaml": suite("g"),
    });
    if (top.success) throw new Error("loaded");
    expect(renderAll(top.error)).toEqual([
      expect.stringContaining('kindlm.yaml:4:1 Unknown key "colour"'),
      'invalid a.yaml:1:1 "tests" is missing; expected a list',
    ]);
  });

  it("have prompt variants", async () => {
    const variants = "prompts: [{ id: one, system_prompt: A }, { id: two, system_prompt_file: two.md }]\n";
    const loaded = await loadedProject({
      "kindlm.yaml": config("[a.yaml]"),
      "a.yaml": suite("a", variants),
      "two.md": "B",
    });
    expect(testsOf(loaded)[0]?.prompts).toEqual([
      { id: "one", system: "A" },
      { id: "two", system: "B" },
    ]);
  });
});

describe("config files", () => {
  it("are found in a folder and below it, but not in node_modules", async () => {
    const named = (name: string): string => minimalConfig().replace("name: s", `name: ${name}`);
    const loaded = await loadedProject(
      {
        "kindlm.yaml": named("a"),
        "sub/kindlm.yml": named("b"),
        "sub/x.kindlm.yaml": named("c"),
        "node_modules/p/kindlm.yaml": named("d"),
        "other.yaml": named("e"),
        "odd.txt": named("f"),
      },
      { paths: [".", "odd.txt", "kindlm.yaml"] },
    );
    expect(loaded.suites.map((suite) => suite.name)).toEqual(["a", "b", "c", "f"]);
    expect(loaded.files).toEqual(["kindlm.yaml", "sub/kindlm.yml", "sub/x.kindlm.yaml", "odd.txt"]);
  });

  it("keep their own deadlines and may not contradict each other about the run", async () => {
    const first = minimalConfig(contains, "timeouts: { trial: 1m, request: 5s }\ndefaults: { concurrency: 2 }");
    const second = minimalConfig(contains).replace("name: s", "name: s2");
    const options = { paths: ["a.yaml", "b.yaml"] };
    const loaded = await loadedProject({ "a.yaml": first, "b.yaml": second }, options);
    expect(loaded.timeouts.trialMs).toBe(300_000);
    expect(testsOf(loaded).map((test) => [test.timeouts.trialMs, test.models[0]?.timeouts.requestMs])).toEqual([
      [60_000, 5_000],
      [undefined, undefined],
    ]);
    const conflict = await loadedProject(
      { "a.yaml": first, "b.yaml": `${second}defaults: { concurrency: 3 }\n` },
      options,
    );
    expect(conflict.suites).toMatchObject([{ status: "ready" }, { name: "s2", status: "broken" }]);
    const [, broken] = conflict.suites;
    expect(broken?.status === "broken" && broken.error.message).toContain(
      '"defaults.concurrency" holds for the whole run, and a.yaml sets it',
    );
  });

  it.each([
    [{ "kindlm.yaml.example": "" }, [], { path: "kindlm.yaml", similar: "kindlm.yaml.example" }],
    [{ "kindlm.yml": "" }, [], { path: "kindlm.yaml", similar: "kindlm.yml" }],
    [{ "dir/tests.yaml": "" }, ["dir/test.yaml"], { path: "dir/test.yaml", similar: "dir/tests.yaml" }],
    [{ "dir/a.txt": "" }, ["dir"], { path: "dir" }],
    [{}, ["x.yaml"], { path: "x.yaml" }],
  ])("are missed with a pointer to what is there: %j", async (files, paths, details) => {
    const loaded = await loadProject(files, { paths });
    expect(loaded).toMatchObject({ success: false, error: { code: "CONFIG_NOT_FOUND", details } });
  });

  it("are refused when they are not UTF-8 or too large, and taken with a byte order mark", async () => {
    const loaded = await loadProject({ "kindlm.yaml": new Uint8Array([0xff, 0xfe, 0x41]) });
    expect(loaded).toMatchObject({ error: { code: "CONFIG_PARSE_ERROR", message: "kindlm.yaml is not UTF-8 text" } });
    const large = await loadProject({ "kindlm.yaml": `# ${"x".repeat(10 * 1024 * 1024)}` });
    expect(large).toMatchObject({ error: { message: "kindlm.yaml is larger than 10 MiB" } });
    const marked = await loadedProject({ "kindlm.yaml": `\ufeff${minimalConfig().replaceAll("\n", "\r\n")}` });
    expect(testsOf(marked)[0]?.position).toMatchObject({ line: 6, column: 15 });
  });

  it("have .env and .env.local beside them; the real environment wins", async () => {
    const files = {
      "kindlm.yaml": minimalConfig(),
      ".env": "A=env\nB=env\nC=env\nMY_API_KEY=k",
      ".env.local": "A=local\nB=local",
    };
    const { env, secretNames } = await loadedProject(files, { env: { A: "real" } });
    expect(env).toMatchObject({ A: "real", B: "local", C: "env" });
    expect(secretNames).toEqual(["MY_API_KEY"]);
  });
});

describe("the redactor", () => {
  it("knows the secrets of .env files and of the config before an error is told", async () => {
    const yaml = `version: 1
providers:
  a: { type: openai, base_url: "http://me:in-the-address@x", api_key_env: NAMED, headers: { x-key: "in-the-header", x-a: "\${USED}" } }
models: [{ id: m, provider: nowhere, model: x }]
suites: []
`;
    const dotenv = "A_TOKEN=in-dot-env\nNAMED=named-in-config\nUSED=used-in-config\n";
    const cwd = makeProject({ "kindlm.yaml": yaml, ".env": dotenv });
    const redactor = createRedactor([]);
    const loaded = await loadConfig({ paths: [], ci: false }, { env: {}, cwd, redactor });
    expect(loaded.success).toBe(false);
    for (const secret of ["in-the-address", "in-the-header", "in-dot-env", "named-in-config", "used-in-config"]) {
      expect(redactor.redact(secret)).toBe("[redacted]");
    }
  });

  it("knows them when another .env file cannot be read", async () => {
    const yaml = minimalConfig().replace("version: 1", "version: 1\nx: { headers: { token: in-the-header } }");
    const cwd = makeProject({ "kindlm.yaml": yaml, ".env": new Uint8Array([0xff, 0xfe]) });
    const redactor = createRedactor([]);
    expect(await loadConfig({ paths: [], ci: false }, { env: {}, cwd, redactor })).toMatchObject({ success: false });
    expect(redactor.redact("in-the-header")).toBe("[redacted]");
  });
});

describe("arbitrary configs", () => {
  it("give a result, never an exception", async () => {
    const cwd = makeProject({});
    const lines = minimalConfig("tags: [a]\nassert: [{ type: contains, value: hi }]").split("\n");
    const change = fc.record({
      line: fc.nat({ max: lines.length - 1 }),
      text: fc.oneof(
        fc.string({ maxLength: 12 }),
        fc.constantFrom(
          "- x",
          "a: [",
          "{{x}}: 1",
          "    name: 1",
          "*a",
          "",
          "suites: [1, null, [a]]",
          "models: [[], 1]",
        ),
      ),
    });
    const { writeFileSync } = await import("node:fs");
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const changed = [...lines];
        for (const { line, text } of changes) changed[line] = text;
        writeFileSync(`${cwd}/kindlm.yaml`, changed.join("\n"));
        const loaded = await loadConfig({ paths: [], ci: false }, { env: {}, cwd });
        if (!loaded.success) expect(renderAll(loaded.error).length).toBeGreaterThan(0);
        else expect(loaded.data.warnings.map(renderDiagnostic)).toBeInstanceOf(Array);
      }),
      { numRuns: 300 },
    );
  });
});

describe("maskSecrets", () => {
  it.each([
    ["key: sk-abcdefgh12345678", "key: *******************"],
    ["api_key: hunter2 # mine", "api_key: ******* # mine"],
    ["api_key_env: OPENAI_API_KEY", "api_key_env: OPENAI_API_KEY"],
    ["max_tokens: 100", "max_tokens: 100"],
    ['authorization: "Bearer ${TOKEN}"', 'authorization: "****** ********"'],
  ])("masks %j, character for character", (text, expected) => {
    const masked = maskSecrets(text);
    expect(masked.length).toBe(text.length);
    if (!text.includes("${")) expect(masked).toBe(expected);
  });
});

describe("a config that is large", () => {
  it.each([
    ["not of one that is small", 1_000, 0],
    ["once of one whose files are large together", 60_000, 1],
    ["once of one that has a large file", 200_000, 1],
  ])("is told before it is parsed: %s", async (_name, length, expected) => {
    const comment = `# ${"x".repeat(length)}\n`;
    const config = `${comment}${minimalConfig()}`;
    const cwd = makeProject({ "one.yaml": config, "two.yaml": config });
    let told = 0;
    const environment = { env: {}, cwd, expectLargeConfig: () => void (told += 1) };
    const loaded = await loadConfig({ paths: ["one.yaml", "two.yaml"], ci: false }, environment);
    expect(loaded.success).toBe(true);
    expect(told).toBe(expected);
  });
});
