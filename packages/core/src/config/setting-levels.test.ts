import { describe, expect, it } from "vitest";
import { retryPresets } from "../resilience/retry-policy.js";
import { loadedProject, minimalConfig, testsOf } from "../__fixtures__/config-project.js";

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
