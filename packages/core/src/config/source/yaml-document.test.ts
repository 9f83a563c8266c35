import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../../__fixtures__/draws.js";
import { positionOf } from "./source-text.js";
import { parseYaml } from "./yaml-document.js";

const sourceOf = (text: string) => ({ path: "/p/kindlm.yaml", file: "kindlm.yaml", text, order: 0 });

async function valueOf(text: string): Promise<unknown> {
  const parsed = await parseYaml(sourceOf(text));
  if (!parsed.success) throw new Error(parsed.error.map((problem) => problem.message).join("; "));
  return parsed.data.value;
}

async function problemsOf(text: string): Promise<string[]> {
  const source = sourceOf(text);
  const parsed = await parseYaml(source);
  if (parsed.success) return [];
  return parsed.error.map(({ range, message, hint }) => {
    const { line, column } = positionOf(source, range);
    return `${line}:${column} ${message}${hint === undefined ? "" : ` | ${hint}`}`;
  });
}

describe("parseYaml", () => {
  it.each([
    ["a: 1\nb: [x, true, null, ~, 1.5]", { a: 1, b: ["x", true, null, null, 1.5] }],
    ["a: yes\nb: 0o17\nc: 2024-01-01", { a: "yes", b: 15, c: "2024-01-01" }],
    ["a: &x {k: 1}\nb: *x", { a: { k: 1 }, b: { k: 1 } }],
    ["a: &x {k: 1, l: 2}\nb: {<<: *x, l: 3}", { a: { k: 1, l: 2 }, b: { k: 1, l: 3 } }],
    ["a: &x {k: 1}\nb: &y {k: 2, m: 3}\nc: {<<: [*x, *y]}", { a: { k: 1 }, b: { k: 2, m: 3 }, c: { k: 1, m: 3 } }],
    ["a: 1\r\nb: 2\r\n", { a: 1, b: 2 }],
    ["1: a\ntrue: b", { "1": "a", true: "b" }],
    ['input: "{{city}}"', { input: "{{city}}" }],
    ['{"a": [1, 2]}', { a: [1, 2] }],
    ["", null],
    ["# only a comment\n", null],
  ])("reads %j", async (text, expected) => {
    expect(await valueOf(text)).toEqual(expected);
  });

  it("keeps a key named __proto__ as data", async () => {
    const value = (await valueOf("__proto__: { polluted: true }\na: 1")) as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(["__proto__", "a"]);
    expect(value["polluted"]).toBe(undefined);
  });

  it.each([
    ["input: {{city}}", ['1:8 {{city}} without quotes is a YAML object, not a placeholder | Quote it: "{{city}}"']],
    ["a:\n  - {{x}}", ['2:5 {{x}} without quotes is a YAML object, not a placeholder | Quote it: "{{x}}"']],
    ["a: 1\nb: 2\na: 3", ['3:1 Duplicate key "a" | It is already set at line 1']],
    [
      "a: *nope",
      ['1:4 Unknown anchor &nope | A value that starts with * is a YAML alias. Quote it if it is text: "*nope"'],
    ],
    ["a: &a [*a]", ["1:8 The alias *a contains itself"]],
    [
      "id: 12345678901234567890",
      [
        '1:5 12345678901234567890 has more digits than a number can hold | Quote it to keep every digit: "12345678901234567890"; in a matcher, write {$integer: "12345678901234567890"}',
      ],
    ],
    ["a: .inf", ["1:4 .inf is not a number that JSON can carry"]],
  ])("refuses %j", async (text, expected) => {
    expect(await problemsOf(text)).toEqual(expected);
  });

  it.each([
    ["input: {{city}} is nice", /^1:\d+ Invalid YAML: .* \| Quote it: "\{\{city\}\} is nice"$/],
    ["input: @home", /^1:8 Invalid YAML: .* \| Quote the text: a value cannot start with @$/],
    ["a:\n\tb: 1", /^2:1 Invalid YAML: .* \| Indent with spaces/],
    ["a: b: c", /^1:\d+ Invalid YAML: .* \| Quote the text: it contains a colon followed by a space$/],
    [
      "a:\n  - b: 1\n   c: 2",
      /Sequence item without - indicator \| Align it with the lines that belong to the same object/,
    ],
    ['a: "open', /^1:\d+ Invalid YAML: Missing closing "quote \| Close the text with "$/],
    ["a: 1\n---\nb: 2", /^2:1 Invalid YAML: .* \| Write one document per file, without ---$/],
    ["a: !secret x", /^1:4 Invalid YAML: Unresolved tag/],
    ["a:\n  name:x\n  other: 1", /^\d:\d+ Invalid YAML: .* \| Put a space after the colon$/],
  ])("explains the slip in %j", async (text, expected) => {
    const [first = ""] = await problemsOf(text);
    expect(first).toMatch(expected);
  });

  it("bounds what aliases expand to", async () => {
    const levels = Array.from({ length: 9 }, (_, level) => {
      const item = level === 0 ? "x" : `*l${level - 1}`;
      return `l${level}: &l${level} [${Array.from({ length: 9 }, () => item).join(", ")}]`;
    });
    expect(await problemsOf(levels.join("\n"))).toEqual([
      expect.stringContaining("Aliases expand to more than 1,000,000 values"),
    ]);
  });

  it("refuses nesting that would use up the stack", async () => {
    expect((await problemsOf(`a: ${"[".repeat(300)}${"]".repeat(300)}`))[0]).toContain("Nested deeper than 200 levels");
    const indented = Array.from({ length: 1_000 }, (_, level) => `${" ".repeat(level)}a:`).join("\n");
    for (const text of [
      "[".repeat(100_000),
      "{a: ".repeat(100_000),
      "- ".repeat(100_000),
      "? ".repeat(9_000),
      indented,
    ])
      expect(await problemsOf(text)).toEqual([expect.stringContaining("Nested deeper than 200 levels")]);
    expect(await problemsOf(`a: "${"[".repeat(1_000)}"\nb: *c`)).toEqual([expect.stringContaining("Unknown anchor")]);
  });

  it("never throws, whatever the text", async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "a: ",
        "- ",
        "\n",
        "  ",
        "\t",
        "{",
        "}",
        "[",
        "]",
        "&x ",
        "*x",
        "<<: ",
        "? ",
        "| ",
        "> ",
        '"',
        "'",
        "!!",
        "%",
        "---",
        "...",
        ": ",
        ",",
        "#",
      ),
      fc.string({ maxLength: 5 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
        const source = sourceOf(pieces.join(""));
        const parsed = await parseYaml(source);
        const ranges = parsed.success ? [parsed.data.locate(["a", 0, "b"])] : parsed.error.map(({ range }) => range);
        for (const range of ranges) {
          const { line, column, length } = positionOf(source, range);
          expect(Math.min(line, column, length)).toBeGreaterThanOrEqual(1);
        }
      }),
      { numRuns: draws({ brief: 800, full: 50_000 }) },
    );
  });
});

describe("locate", () => {
  const shared = "a:\n  - name: x\n    value: hello\nempty:\nflow: [1, { k: 2 }]\ntext: |\n  more\n";

  it.each([
    [shared, ["a", 0, "value"], false, "3:hello"],
    [shared, ["a", 0, "value"], true, "3:value"],
    [shared, ["empty"], false, "4:empty"],
    [shared, ["a", 0, "missing"], false, "2:name: x"],
    [shared, ["a", "name"], false, "2:- name: x"],
    [shared, ["flow", 1, "k"], false, "5:2"],
    [shared, ["flow", 1, "k"], true, "5:k"],
    [shared, ["flow", 2], false, "5:[1, { k: 2 }]"],
    [shared, ["text"], false, "6:|"],
    [shared, [], false, "1:a:"],
    ["base: &b { k: 1 }\nmerged: { <<: *b }\n", ["merged", "k"], false, "1:1"],
    ["base: &b { k: 1 }\nmerged: { <<: [*b, { l: 2 }] }\n", ["merged", "l"], true, "2:l"],
    ["base: &b { k: { l: 1 } }\nagain: *b\n", ["again", "k", "l"], false, "1:1"],
    ["base: &b { k: 1 }\nagain: *b\n", ["again"], false, "2:*b"],
  ] as const)("finds in %j the value at %j", async (text, path, atKey, expected) => {
    const parsed = await parseYaml(sourceOf(text));
    const { start, end } = parsed.success ? parsed.data.locate(path, atKey) : { start: 0, end: 0 };
    expect(`${text.slice(0, start).split("\n").length}:${text.slice(start, end)}`).toBe(expected);
  });
});
