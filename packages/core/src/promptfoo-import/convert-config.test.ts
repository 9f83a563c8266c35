import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { convertConfig } from "./convert-config.js";
import { readYaml } from "./source/read-yaml.js";
import { SourceFolder } from "./source/source-folder.js";

interface Written {
  models?: unknown;
  providers?: Readonly<Record<string, unknown>>;
  defaults?: unknown;
  suites: {
    name: string;
    system_prompt?: string;
    target?: unknown;
    tests: { name: string; input?: unknown; assert: unknown[] }[];
  }[];
}

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kindlm-promptfoo-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function convert(text: string, files: Readonly<Record<string, string>> = {}) {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const root = readYaml(text, "promptfooconfig.yaml");
  if (!root.success) throw new Error(root.error.message);
  const { files: written, findings } = await convertConfig(root.data, new SourceFolder(folder, folder));
  const yaml = written["kindlm.yaml"] ?? "";
  const config = parse(yaml) as Written;
  return { yaml, config, written, findings: findings.map(({ line, message }) => `${line} ${message}`) };
}

/** The assertions of the only test of a config that has these. */
async function assertions(list: string) {
  const base = "prompts: [Hi]\nproviders: [openai:gpt-5]\n";
  const { config, findings } = await convert(`${base}tests:\n  - assert:\n${list.replaceAll(/^/gm, "      ")}\n`);
  return { written: config.suites[0]?.tests[0]?.assert, findings };
}

describe("an assertion of promptfoo", () => {
  it.each([
    ["- { type: equals, value: 42 }", [{ type: "equals", value: "42" }]],
    ["- { type: equals, value: { a: 1 } }", [{ type: "json", value: { a: 1 } }]],
    ["- { type: icontains, value: Hi, weight: 2 }", [{ type: "contains", value: "Hi", ignore_case: true, weight: 2 }]],
    ["- { type: regex, value: '(?i)^a' }", [{ type: "matches", value: "^a", flags: "i" }]],
    ["- { type: not-contains, value: Hi }", [{ type: "contains", value: "Hi", not: true }]],
    ["- { type: contains-all, value: [a, b] }", [{ type: "contains", value: ["a", "b"] }]],
    [
      "- { type: contains-any, value: 'a, b' }",
      [
        {
          any_of: [
            { type: "contains", value: "a" },
            { type: "contains", value: "b" },
          ],
        },
      ],
    ],
    ["- { type: is-json, value: { type: object } }", [{ type: "schema", schema: { type: "object" } }]],
    ["- { type: is-json, value: file://a.json }", [{ type: "schema", schema_file: "a.json" }]],
    [
      "- { type: llm-rubric, value: Is kind, threshold: 0.8 }",
      [{ type: "judge", criteria: "Is kind", threshold: 0.8 }],
    ],
    ["- { type: similar, value: Hi }", [{ type: "similar", reference: "Hi", method: "embedding" }]],
    ["- { type: latency, threshold: 1500 }", [{ type: "latency", max: "1500ms" }]],
    ["- { type: cost, threshold: 0.01 }", [{ type: "cost", max: 0.01 }]],
    [
      "- { type: assert-set, threshold: 0.5, assert: [{ type: contains, value: a }, { type: is-json }] }",
      [{ at_least: 1, of: [{ type: "contains", value: "a" }, { type: "json" }] }],
    ],
    [
      "- { type: tool-call-f1, value: [a, b] }",
      [{ type: "tool_calls", mode: "unordered", calls: [{ tool: "a" }, { tool: "b" }] }],
    ],
  ])("%s", async (source, expected) => {
    expect(await assertions(source)).toEqual({ written: expected, findings: [] });
  });

  it("without a counterpart is a finding with its line, and never dropped silently", async () => {
    const { written, findings } = await assertions(
      "- { type: python, value: 1 }\n- { type: made-up }\n- { type: is-json }",
    );
    expect(written).toEqual([{ type: "json" }]);
    expect(findings).toEqual([
      "5 python was left out: Python is not converted: call it with a command assertion",
      "6 made-up was left out: KindLM has no such type",
    ]);
  });

  it("that is the only one leaves a check that says so", async () => {
    const { yaml, findings } = await convert(
      "prompts: [Hi]\nproviders: [openai:x]\ntests: [{ assert: [{ type: pi }] }]",
    );
    expect(yaml).toContain("{ type: length, min: 1 }");
    expect(findings.at(-1)).toContain("tests without an assertion check only that there is an answer");
  });
});

describe("a config of promptfoo", () => {
  it("keeps comments, descriptions, repetitions, and providers with what has no counterpart", async () => {
    const { yaml, config, findings } = await convert(`description: Shop
prompts: ["Where is {{order}}?"]
providers:
  # The cheap one
  - id: openai:chat:gpt-5-mini
    config: { temperature: 0, max_completion_tokens: 50, logprobs: 3 }
  - openrouter:meta/llama
  - nobody:x
evaluateOptions: { repeat: 3, maxConcurrency: 2 }
redteam: {}
tests:
  - description: Known order
    vars: { order: ORD-1 }
    assert: [{ type: contains, value: "{{order}}" }]
`);
    expect(config.models).toEqual([
      { id: "gpt-5-mini", provider: "openai", model: "gpt-5-mini", params: { temperature: 0, max_tokens: 50 } },
      { id: "meta-llama", provider: "openrouter", model: "meta/llama" },
      expect.objectContaining({ id: "nobody-x", provider: "scripted" }),
    ]);
    expect(config.providers?.["openrouter"]).toMatchObject({ type: "openai", api_key_env: "OPENROUTER_API_KEY" });
    expect(config.defaults).toMatchObject({ runs: 3, concurrency: 2 });
    expect(config.suites[0]?.tests[0]).toMatchObject({ name: "known-order", vars: { order: "ORD-1" } });
    expect(yaml).toContain("# The cheap one");
    expect(yaml).toContain('# TODO(import): "redteam" was left out');
    expect(findings).toEqual([
      '10 "redteam" was left out: see prompt injection in the documentation',
      '5 "logprobs" of openai:chat:gpt-5-mini was left out: see params of a model',
      '8 KindLM does not know the provider "nobody:x": name another model',
    ]);
  });

  it("becomes a suite for each prompt, with the system prompt of chats, and rows for lists of values", async () => {
    const chat = JSON.stringify([
      { role: "system", content: "You sell {{thing}}" },
      { role: "user", content: "{{question}}" },
    ]);
    const { config } = await convert(
      `prompts: [file://chat.json, file://two.txt]
providers: openai:gpt-5
tests: [{ vars: { thing: [hats, shoes], question: Price? }, assert: [{ type: is-json }] }]`,
      { "chat.json": chat, "two.txt": "First {{thing}}\n---\nSecond {{thing}}\n" },
    );
    const { suites } = config;
    expect(suites.map(({ name, system_prompt }) => [name, system_prompt])).toEqual([
      ["chat", "You sell {{thing}}"],
      ["two", undefined],
      ["two-2", undefined],
    ]);
    expect(suites[0]?.tests[0]).toMatchObject({ input: "{{question}}", rows: [{ thing: "hats" }, { thing: "shoes" }] });
    expect(suites[2]?.tests[0]?.input).toBe("Second {{thing}}");
  });

  it("reads tests of a table, with what its columns expect, and each place of Nunjucks", async () => {
    const { config, findings } = await convert(
      `prompts: ["{{ city | upper }} {% if x %}now{% endif %} {{row}}"]
providers: [echo]
tests: file://tests.csv`,
      {
        "tests.csv": 'city,row,__expected,__expected2\nBonn,1,"contains-any: Bonn,Köln",grade: Is kind\nRome,2,Rome,\n',
      },
    );
    const [first, second] = config.suites[0]?.tests ?? [];
    expect(first).toMatchObject({
      input: "{{city}} {% if x %}now{% endif %} {{row_text}}",
      vars: { city: "Bonn", row_text: "1" },
    });
    expect(first?.assert).toEqual([
      {
        any_of: [
          { type: "contains", value: "Bonn" },
          { type: "contains", value: "Köln" },
        ],
      },
      { type: "judge", criteria: "Is kind" },
    ]);
    expect(second?.assert).toEqual([{ type: "equals", value: "Rome" }]);
    expect(findings).toEqual([
      expect.stringContaining("Nunjucks logic has no counterpart"),
      expect.stringContaining('"city | upper" needs Nunjucks'),
    ]);
  });

  it.each([
    [
      "aliases that stand for too much",
      `a: &a [1,1,1,1,1,1,1,1,1,1]\n${"bcdefghi".replaceAll(/./g, (name, index: number) => `${name}: &${name} [${`*${"abcdefgh"[index]},`.repeat(10)}]\n`)}`,
      "too many values",
    ],
    ["lists in lists", `a: ${"[".repeat(150)}${"]".repeat(150)}`, "nested deeper than"],
    ["an alias of nothing", "a: *b", "b"],
  ])("is not read with %s", (_name, text, message) => {
    expect(readYaml(text, "a.yaml")).toMatchObject({
      success: false,
      error: { message: expect.stringContaining(message) },
    });
  });

  it("moves JavaScript into a module, and tests programs and services as targets", async () => {
    const { config, written } = await convert(`prompts: [Hi]
providers: [exec:./agent.sh, https://example.com/chat, file://agent.js]
tests:
  - vars: { a: 1 }
    assert:
      - { type: javascript, value: output.length > context.vars.a }
      - { type: javascript, value: "const n = 1;\\nreturn n", threshold: 0.5 }
      - { type: javascript, value: file://check.js }`);
    const { suites } = config;
    expect(suites.map(({ target }) => target)).toEqual([
      { command: ["./agent.sh", "{{input}}"] },
      { url: "https://example.com/chat" },
      { module: "./agent.js" },
    ]);
    expect(suites[0]?.tests[0]?.assert[0]).toEqual({
      type: "module",
      module: "./checks.mjs#check1",
      with: { a: "{{a}}" },
    });
    const code = written["checks.mjs"] ?? "";
    writeFileSync(join(folder, "checks.mjs"), code);
    writeFileSync(join(folder, "check.js"), "module.exports = (output) => output === 'abc';");
    const checks = (await import(/* @vite-ignore */ join(folder, "checks.mjs"))) as Record<
      string,
      (trial: object, vars?: object) => unknown
    >;
    expect(await checks["check1"]?.({ output: "abc" }, { a: 2 })).toBe(true);
    expect(await checks["check1"]?.({ output: "abc" }, { a: 3 })).toBe(false);
    expect(await checks["check2"]?.({ output: "abc" })).toEqual({ pass: true, score: 1 });
    expect(await checks["check3"]?.({ output: "abd" })).toBe(false);
  });
});
