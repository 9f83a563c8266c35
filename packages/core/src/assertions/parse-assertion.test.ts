import { describe, expect, it } from "vitest";
import { parseAssertion } from "./parse-assertion.js";

const problemsOf = (raw: unknown): unknown => {
  const parsed = parseAssertion(raw, "/project");
  return parsed.success ? [] : parsed.error;
};

describe("parseAssertion", () => {
  it("reads a check with the keys that every assertion takes", () => {
    const raw = {
      type: "contains",
      value: "a",
      not: true,
      id: "x",
      weight: 2,
      user_turn: 3,
      when: { turns: { $gt: 1 } },
    };
    expect(parseAssertion(raw, "/project")).toMatchObject({
      success: true,
      data: {
        form: "check",
        type: "contains",
        not: true,
        id: "x",
        weight: 2,
        userTurn: 3,
        when: { source: { turns: { $gt: 1 } } },
        options: { value: ["a"] },
      },
    });
  });

  it("fills in what is not written", () => {
    const parsed = parseAssertion({ type: "no_pii" }, "/project");
    expect(parsed).toMatchObject({ success: true, data: { not: false, weight: 1, when: null, references: [] } });
    expect(parsed.success && Object.keys(parsed.data)).not.toContain("userTurn");
  });

  it("suggests the type that was meant, in the words of the specification", () => {
    expect(problemsOf({ type: "tool_caled", tool: "x" })).toEqual([
      {
        path: ["type"],
        message: 'Unknown assertion type "tool_caled"',
        hint: 'Did you mean "tool_called"? See: https://kindlm.com/docs/assertions',
      },
    ]);
    expect(problemsOf({ type: "horoscope" })).toEqual([
      {
        path: ["type"],
        message: 'Unknown assertion type "horoscope"',
        hint: "See: https://kindlm.com/docs/assertions",
      },
    ]);
  });

  it.each([
    [
      "a text",
      "no_pii",
      [{ path: [], message: "An assertion must be an object", hint: expect.stringContaining("no_pii") }],
    ],
    [
      "null",
      null,
      [{ path: [], message: "An assertion must be an object", hint: "Write { type: contains, value: hello }" }],
    ],
    ["no type", {}, [{ path: [], message: '"type" is missing', hint: "See: https://kindlm.com/docs/assertions" }]],
    [
      "the type as a key",
      { contains: "x" },
      [
        {
          path: ["contains"],
          message: '"type" is missing',
          hint: 'Write { type: contains, value: "delivered" }',
          atKey: true,
        },
      ],
    ],
    [
      "a slip in type",
      { typ: "contains", value: "x" },
      [{ path: ["typ"], message: 'Unknown key "typ"', hint: 'Did you mean "type"?', atKey: true }],
    ],
    [
      "a type that is no text",
      { type: 3 },
      [{ path: ["type"], message: '"type" must be a string', hint: expect.any(String) }],
    ],
    [
      "a slip in an own key",
      { type: "contains", value: "x", ignore_cas: true },
      [{ path: ["ignore_cas"], message: 'Unknown key "ignore_cas"', hint: 'Did you mean "ignore_case"?', atKey: true }],
    ],
    [
      "a slip in a common key",
      { type: "contains", value: "x", wieght: 2 },
      [{ path: ["wieght"], message: 'Unknown key "wieght"', hint: 'Did you mean "weight"?', atKey: true }],
    ],
    [
      "a weight of nothing",
      { type: "no_pii", weight: 0 },
      [{ path: ["weight"], message: '"weight" must be more than 0' }],
    ],
    [
      "a user turn of 0",
      { type: "no_pii", user_turn: 0 },
      [{ path: ["user_turn"], message: '"user_turn" must be more than 0' }],
    ],
    [
      "a missing option",
      { type: "contains" },
      [expect.objectContaining({ path: ["value"], message: expect.stringContaining('"value"') })],
    ],
    [
      "an empty group",
      { all_of: [] },
      [{ path: ["all_of"], message: '"all_of" must be a list of at least one assertion' }],
    ],
    [
      "two kinds of group",
      { all_of: [{ type: "no_pii" }], any_of: [{ type: "no_pii" }] },
      [{ path: ["any_of"], message: 'Unknown key "any_of"', hint: 'Did you mean "all_of"?', atKey: true }],
    ],
    [
      "a group that asks for more than it lists",
      { at_least: 3, of: [{ type: "no_pii" }] },
      [{ path: ["at_least"], message: '"at_least" is 3, but "of" lists only 1' }],
    ],
    [
      "a group with its list in the wrong place",
      { at_least: [{ type: "no_pii" }] },
      [
        { path: ["of"], message: '"of" must be a list of at least one assertion' },
        { path: ["at_least"], message: '"at_least" must be a whole number from 1', hint: 'Put the list under "of"' },
      ],
    ],
    [
      "an unknown field of the trial",
      { type: "no_pii", when: { latency: 3 } },
      [
        {
          path: ["when", "latency"],
          message: 'Unknown key "latency"',
          hint: expect.stringContaining("latency_ms"),
          atKey: true,
        },
      ],
    ],
    [
      "an unknown field of the trial below an operator",
      { type: "no_pii", when: { $one_of: [{ output: "x" }, { outptu: "x" }] } },
      [
        {
          path: ["when", "$one_of", 1, "outptu"],
          message: 'Unknown key "outptu"',
          hint: 'Did you mean "output"?',
          atKey: true,
        },
      ],
    ],
    [
      "a when that is no mapping",
      { type: "no_pii", when: "x" },
      [{ path: ["when"], message: '"when" must be an object', hint: expect.any(String) }],
    ],
    [
      "an unknown operator in when",
      { type: "no_pii", when: { output: { $contians: "x" } } },
      [
        expect.objectContaining({
          path: ["when", "output", "$contians"],
          hint: 'Did you mean "$contains"?',
          atKey: true,
        }),
      ],
    ],
  ])("names the problem of %s", (_, raw, expected) => {
    expect(problemsOf(raw)).toEqual(expected);
  });

  it("reports all problems at once, each with its path through the groups", () => {
    const raw = { any_of: [{ type: "nope" }, { all_of: [{ type: "contains", value: "x", extra: 1 }] }], weigth: 1 };
    expect(problemsOf(raw)).toMatchObject([
      { path: ["weigth"] },
      { path: ["any_of", 0, "type"] },
      { path: ["any_of", 1, "all_of", 0, "extra"] },
    ]);
  });

  it("makes paths absolute and keeps references as they are written", () => {
    expect(parseAssertion({ type: "schema", schema_file: "s/order.json" }, "/project")).toMatchObject({
      data: {
        options: { schema_file: "/project/s/order.json" },
        references: [{ kind: "schema_file", file: "s/order.json", path: ["schema_file"] }],
      },
    });
  });

  it("takes schemaFile for schema_file, with paths as written", () => {
    expect(parseAssertion({ type: "schema", schemaFile: "order.json" }, "/project")).toMatchObject({
      data: { options: { schema_file: "/project/order.json" }, references: [{ path: ["schemaFile"] }] },
    });
    expect(problemsOf({ type: "schema", schemaFile: 3 })).toMatchObject([{ path: ["schemaFile"] }]);
    expect(problemsOf({ type: "schema", schemaFile: "a", schema_file: "b" })).toEqual([
      { path: ["schemaFile"], message: '"schemaFile" repeats "schema_file"', atKey: true },
    ]);
    expect(problemsOf({ type: "contains", value: "x", schemaFile: "a" })).toMatchObject([{ path: ["schemaFile"] }]);
  });

  it("takes a key named __proto__ for an unknown key", () => {
    const raw: unknown = JSON.parse('{"type":"contains","value":"x","__proto__":{"ignore_case":true}}');
    expect(problemsOf(raw)).toMatchObject([{ path: ["__proto__"] }]);
  });
});
