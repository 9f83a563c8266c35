import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { problemsOf } from "../../schema-parts/parse-with.js";
import { scriptSchema, scriptProblems } from "./script-schema.js";
import { parseMatcher } from "../../matchers/parse-matcher.js";

function problems(yaml: string) {
  const parsed = scriptSchema.safeParse(parse(yaml));
  return parsed.success ? [] : problemsOf(parsed.error).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("scriptSchema", () => {
  it("takes the script of the guide", () => {
    const yaml = `
rules:
  - when: { user: { $contains: "ORD-1" }, turn: 1 }
    reply: { tool_calls: [{ tool: lookup_order, args: { order_id: ORD-1 } }] }
  - when: { last_tool_result: { $contains: delivered } }
    reply: { text: "Order {{args.order_id}} was delivered." }
  - when: { turn: 1 }
    choose:
      - { weight: 0.9, reply: { text: "…" } }
      - { weight: 0.1, reply: { error: { status: 429, retry_after: 2s } } }
otherwise: { text: "I cannot help with that." }`;
    expect(problems(yaml)).toEqual([]);
    const script = scriptSchema.parse(parse(yaml));
    expect(script.rules[2]?.choose?.[1]?.reply.error?.retry_after).toBe(2_000);
  });

  it.each([
    ["rules: [{ reply: { txt: hi } }]", 'rules.0.reply.txt: Unknown key "txt"'],
    ["rules: [{ reply: {} }]", "rules.0.reply: A reply needs text, tool_calls, json, error, hang or drop_after"],
    [
      "rules: [{ reply: { delay: 1s } }]",
      "rules.0.reply: A reply needs text, tool_calls, json, error, hang or drop_after",
    ],
    ["rules: [{ reply: { text: a, json: 1 } }]", "rules.0.reply: A reply takes text or json, not both"],
    [
      "rules: [{ reply: { text: a, error: { status: 500 } } }]",
      "rules.0.reply: A reply is an answer or an error, not both",
    ],
    ["rules: [{ reply: { text: a, hang: true } }]", "rules.0.reply: A reply that hangs says nothing"],
    ["rules: [{ when: { turn: 1 } }]", "rules.0: A rule takes reply or choose"],
    [
      "rules: [{ reply: { tool_calls: [{ tool: a, args: {}, raw_args: x }] } }]",
      "rules.0.reply.tool_calls.0: A call takes args or raw_args, not both",
    ],
    [
      "rules: [{ when: { user: { $containz: a } }, reply: { text: a } }]",
      'rules.0.when.user.$containz: Unknown operator "$containz"',
    ],
    ["rules: [{ reply: { error: { status: 200 } } }]", 'rules.0.reply.error.status: "status" must be at least 300'],
    ["rules: [{ reply: { text: a, finish_reason: done } }]", /finish_reason: "finish_reason" must be "stop", /],
    ["rules: [{ choose: [] }]", 'rules.0.choose: "choose" must have at least 1 entry'],
    [
      "rules: [{ reply: { text: a } }, { reply: { text: b } }]",
      "rules.1: Rule 2 can never answer: rule 1 matches every request",
    ],
  ])("refuses %s", (yaml, problem) => {
    expect(problems(yaml)).toEqual([typeof problem === "string" ? problem : expect.stringMatching(problem)]);
  });
});

function matcher(raw: unknown) {
  const parsed = parseMatcher(raw);
  if (!parsed.success) throw new Error("not a matcher");
  return parsed.data;
}

const hi = { user: matcher("hi") };

it("finds nothing in a script in which every rule can answer", () => {
  const rules = [{ when: hi }, { when: { user: matcher("hi"), turn: matcher(2) } }, { when: { turn: matcher(1) } }];
  expect(scriptProblems({ rules: [...rules, {}] })).toEqual([]);
  expect(scriptProblems({ rules, otherwise: {} })).toEqual([]);
});

it("finds rules and otherwise behind a rule that matches everything", () => {
  expect(scriptProblems({ rules: [{ when: {} }, { when: hi }, {}], otherwise: {} })).toMatchObject([
    { path: ["rules", 1], message: "Rule 2 can never answer: rule 1 matches every request" },
    { path: ["rules", 2], message: "Rule 3 can never answer: rule 1 matches every request" },
    { path: ["otherwise"], message: '"otherwise" can never answer: rule 1 matches every request' },
  ]);
});

it("finds a condition that was asked before, whatever the order of its keys", () => {
  const rules = [
    { when: { turn: matcher(1), user: matcher({ $contains: "x" }) } },
    { when: { user: matcher({ $contains: "x" }), turn: matcher(1) } },
  ];
  expect(scriptProblems({ rules })).toMatchObject([
    { path: ["rules", 1], message: "Rule 2 can never answer: rule 1 asks for the same" },
  ]);
});
