import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { compileSchema } from "../../json-schema/compile-schema.js";
import type { SchemaValidator } from "../../json-schema/schema-validator.js";
import { isRecord } from "../../values/json.js";
import { minimalConfig } from "../../__fixtures__/config-project.js";
import { configJsonSchema } from "./config-json-schema.js";

const schema = configJsonSchema();

function validatorOf(part: Parameters<typeof compileSchema>[0]): SchemaValidator {
  const compiled = compileSchema(part);
  if (!compiled.success) throw new Error(compiled.error.message);
  return compiled.data;
}

/** Keys of the suite, in block style. */
function suiteWith(keys: string): string {
  return minimalConfig().replace("    tests:", `    ${keys}\n    tests:`);
}

/** Keys of the test in place of its input, in block style. */
function testWith(keys: string): string {
  return minimalConfig().replace("        input: hello", keys.replaceAll(/^/gm, "        "));
}

describe("the JSON Schema of a config", () => {
  const { definitions: shared = {}, $id: _id, ...config } = schema;
  // Of both at once, since to compile what they share takes most of the time of these tests.
  const validator = validatorOf({
    $schema: "http://json-schema.org/draft-07/schema#",
    properties: { config, suite: { $ref: "#/definitions/suite" } },
    definitions: shared,
  });

  it.each([
    minimalConfig(),
    minimalConfig("runs: 5\npass: 4/5\ntimeouts: { trial: 5m }\nassert: [{ any_of: [{ type: contains, value: x }] }]"),
    minimalConfig(
      undefined,
      "$schema: x\nretry: { preset: production, jitter: 0.5 }\ngates: { errored: 0, latency_p95: 8s }",
    ),
    "version: 1\nmodels: [{ id: m, provider: scripted, script: a.yaml }]\nsuites: [a.yaml, suites/*.yaml]\n",
    minimalConfig('vars: { n: 9, s: 1s }\nassert: [{ type: length, max: "{{n}}" }, { type: latency, max: "{{s}}" }]'),
    minimalConfig("assert: [{ type: json, value: { a: [{ $gt: 1, $lt: 3 }], $b: 1 } }]").replace("$b", "b$"),
    minimalConfig("assert: [{ type: json, value: { $approx: 1, $tolerance: 1 } }, { type: json }]"),
    minimalConfig("assert: [{ type: schema, schemaFile: a.json }, { type: schema, schema: true }]"),
    minimalConfig().replace(
      /models: .*/,
      "models: [{ id: m, provider: scripted, script: { rules: [{ when: { turn: 1 }, reply: { text: hi } }] } }]",
    ),
    ...[
      'tools: [{ name: t, default: { hang: true } }, { name: u, responses: [{ sequence: [{ return: 1 }, { hang: true, delay: 1s, set: { "a.{{args.x}}": 1 } }] }] }]',
      "state: { a: 1 }\n    tools: [{ name: t, responses: [{ state: { a: { $gt: 1 } }, set: { a: 2 }, error: { message: x } }] }]",
      "tools: [{ name: t }]\n    faults: [{ tool: t, kind: error, call: 1, times: 2 }, { tool: '*', kind: latency, delay: 1s, rate: 0.5 }]",
      "tools: [{ name: t }]\n    faults: { expand: true, list: [{ id: x, tool: t, kind: drop_fields, fields: [a.b] }, { tool: t, kind: truncate, keep: 3 }] }",
    ].map(suiteWith),
    ...[
      "simulated_user: { goal: g, model: m }",
      "simulated_user: { goal: g, model: m, persona: p, knows: { a: 1 }, max_turns: 3, stop: bye }\ninput: hello",
      "simulated_user: { goal: g, model: m, knows: [a], stop: { output: { $contains: x } } }\nmessages: [{ role: user, content: hi }]",
      "conversation: [{ user: hi }, { user: [{ type: text, text: a }, { type: image, file: a.png }] }]",
    ].map(testWith),
  ])("accepts what a load accepts", (text) => {
    expect(validator.validate({ config: parse(text) })).toEqual([]);
  });

  it.each([
    minimalConfig("assert: []"),
    ...[
      "faults: [{ tool: t, kind: eror }]",
      "faults: [{ tool: t, kind: hang, delay: 1s }]",
      "faults: [{ tool: t, kind: latency }]",
      "faults: [{ tool: t, kind: error, rate: 2 }]",
      "faults: { expand: true }",
      "tools: [{ name: t, default: { hang: false } }]",
      "tools: [{ name: t, default: { sequence: [] } }]",
      "state: [1]",
    ].map(suiteWith),
    ...[
      "simulated_user: { goal: g }",
      "simulated_user: { goal: g, model: m, max_turns: 0 }",
      "simulated_user: { goal: g, model: m, stop: { output: { $contain: x } } }",
      "simulated_user: { goal: g, model: m }\nconversation: [{ user: hi }]",
      "simulated_user: { goal: g, model: m }\ninput: a\nmessages: [{ role: user, content: hi }]",
      "conversation: [{ user: [] }]",
    ].map(testWith),
    minimalConfig("assert: [{ type: tool_caled }]"),
    minimalConfig(undefined, "colour: red"),
    minimalConfig().replace("version: 1", "version: 2"),
    minimalConfig().replace("input: hello", "inpt: hello"),
    minimalConfig().replace("input: hello", "tags: [a]"),
    minimalConfig("conversation: [{ user: hi }]\nassert: [{ type: contains, value: x }]"),
    minimalConfig("rows: [{ a: 1 }]\ndataset: a.csv\nassert: [{ type: contains, value: x }]"),
    minimalConfig("pass: many\nassert: [{ type: contains, value: x }]"),
    minimalConfig(undefined, "timeouts: { request: 5x }"),
    minimalConfig("assert: [{ type: json, value: { a: { $gtt: 1 } } }]"),
    minimalConfig("assert: [{ type: json, value: { a: 1, $gt: 1 } }]"),
    minimalConfig("assert: [{ type: schema }]"),
    minimalConfig("assert: [{ type: schema, schema: true, schema_file: a.json }]"),
    minimalConfig("assert: [{ type: latency }]"),
    minimalConfig('assert: [{ type: length, max: "n" }]'),
    minimalConfig().replace(
      /models: .*/,
      "models: [{ id: m, provider: scripted, script: { rules: [{ reply: { txt: x } }] } }]",
    ),
  ])("refuses what a load refuses", (text) => {
    expect(validator.validate({ config: parse(text) }).length).toBeGreaterThan(0);
  });

  it("has a suite file as a definition", () => {
    const tests = [{ name: "t", input: "hi", assert: [{ type: "contains", value: "x" }] }];
    expect(validator.validate({ suite: { name: "s", tests } })).toEqual([]);
    expect(validator.validate({ suite: { name: "s", test: tests } }).length).toBeGreaterThan(0);
  });

  it("explains every key of a config and a suite", () => {
    const silent: string[] = [];
    const visit = (node: unknown, path: string): void => {
      if (Array.isArray(node)) return node.forEach((item, index) => visit(item, `${path}/${index}`));
      if (!isRecord(node)) return;
      for (const [key, part] of Object.entries(isRecord(node["properties"]) ? node["properties"] : {})) {
        if (isRecord(part) && part["description"] === undefined && part["$ref"] === undefined)
          silent.push(`${path}.${key}`);
      }
      for (const [key, part] of Object.entries(node)) if (key !== "examples") visit(part, `${path}/${key}`);
    };
    const { definitions, ...own } = schema;
    visit(own, "");
    visit(isRecord(definitions) ? definitions["suite"] : {}, "suite");
    // The choice of one tool says all in its parent's description.
    expect(silent.filter((path) => !path.includes("/tool_choice/"))).toEqual([]);
  });
});
