import { describe, expect, it } from "vitest";
import { evaluateWritten } from "../../__fixtures__/evaluate-written.js";
import { shortenDeadlines } from "../../__fixtures__/shorten-deadlines.js";

async function judge(config: Record<string, unknown>, output: string) {
  const result = await evaluateWritten(config, { output });
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

type Row = readonly [config: Record<string, unknown>, output: string, pass: boolean, score: number, message: string];

const rows: readonly Row[] = [
  [{ type: "contains", value: "ORD-1" }, "It is ORD-1.", true, 1, 'The answer contains "ORD-1"'],
  [
    { type: "contains", value: "ORD-1" },
    "Your order ORD-7 was sent.",
    false,
    0,
    'Expected the answer to contain "ORD-1", but its nearest part is "ORD-7"',
  ],
  [
    { type: "contains", value: "delivered on Monday" },
    "It was delivered on Sunday, at noon.",
    false,
    0,
    'Expected the answer to contain "delivered on Monday", but its nearest part is "delivered on Sunday"',
  ],
  [
    { type: "contains", value: "Delivered" },
    "was delivered",
    false,
    0,
    'Expected the answer to contain "Delivered", but its nearest part is "delivered", which differs in upper and lower case',
  ],
  [{ type: "contains", value: "ÜBER", ignore_case: true }, "über", true, 1, 'The answer contains "ÜBER"'],
  [{ type: "contains", value: "x" }, "", false, 0, 'Expected the answer to contain "x", but the answer is empty'],
  [
    { type: "contains", value: ["a", "zebra"] },
    "a b",
    false,
    0.5,
    'Expected the answer to contain "zebra", but it is "a b"',
  ],
  [{ type: "contains", value: 42 }, "It is 42", true, 1, 'The answer contains "42"'],
  [{ type: "not_contains", value: ["x", "y"] }, "abc", true, 1, 'The answer does not contain "x", "y"'],
  [
    { type: "not_contains", value: ["HELP", "z"], ignore_case: true },
    "I cannot help.",
    false,
    0.5,
    'Expected the answer not to contain "HELP", but it says "I cannot help."',
  ],
  [{ type: "starts_with", value: "Dear" }, "Dear Ada", true, 1, 'The answer starts with "Dear"'],
  [{ type: "starts_with", value: "dear", ignore_case: true }, "Dear Ada", true, 1, 'The answer starts with "dear"'],
  [
    { type: "starts_with", value: "Dear" },
    "Hello Ada",
    false,
    0,
    'Expected the answer to start with "Dear", but it starts with "Hello Ada"',
  ],
  [{ type: "starts_with", value: "D" }, "", false, 0, 'Expected the answer to start with "D", but it is empty'],
  [{ type: "equals", value: "42" }, "42", true, 1, 'The answer is "42"'],
  [{ type: "equals", value: ["YES", "yes"], ignore_case: true }, "Yes", true, 1, 'The answer is "YES"'],
  [
    { type: "equals", value: "42" },
    "42\n",
    false,
    0,
    'Expected the answer to be "42", but it differs in space around it: "42\\n"',
  ],
  [
    { type: "equals", value: "Yes" },
    "yes",
    false,
    0,
    'Expected the answer to be "Yes", but it differs in upper and lower case: "yes"',
  ],
  [{ type: "equals", value: "x" }, "y", false, 0, 'Expected the answer to be "x", but it is "y"'],
  [{ type: "equals", value: "" }, "", true, 1, 'The answer is ""'],
  [
    { type: "equals", value: `${"a".repeat(50)}b` },
    `${"a".repeat(50)}c`,
    false,
    0,
    `Expected the answer to be "${"a".repeat(50)}b", but it differs from character 51 on: "${"a".repeat(20)}c"`,
  ],
  [{ type: "matches", value: "ord-\\d+", flags: "i" }, "It is ORD-12", true, 1, "The answer matches /ord-\\d+/i"],
  [
    { type: "matches", value: "^ORD" },
    "It is ORD-12",
    false,
    0,
    'Expected the answer to match /^ORD/, but it is "It is ORD-12"',
  ],
  [
    { type: "keywords_present", value: ["cat", "New York"] },
    "A CAT in new\nyork",
    true,
    1,
    'The answer has the keywords "cat", "New York"',
  ],
  [
    { type: "keywords_present", value: ["cat", "dog"] },
    "concatenate the dog",
    false,
    0.5,
    'Expected the answer to have the keyword "cat", but it is "concatenate the dog"',
  ],
  [
    { type: "keywords_present", value: ["cat", "dog"], require: "any" },
    "a dog",
    true,
    1,
    'The answer has the keyword "dog"',
  ],
  [
    { type: "keywords_present", value: ["cat", "dog"], require: "any" },
    "a fish",
    false,
    0,
    'Expected the answer to have any of the keywords "cat", "dog", but it is "a fish"',
  ],
  [{ type: "keywords_absent", value: "sue" }, "an issue, sued", true, 1, 'The answer does not have the keyword "sue"'],
  [
    { type: "keywords_absent", value: ["sue", "court"] },
    "I will Sue",
    false,
    0.5,
    'Expected the answer not to have the keyword "sue", but it is "I will Sue"',
  ],
  [
    { type: "keywords_absent", value: ["sue", "court"], require: "any" },
    "I will sue",
    true,
    1,
    'The answer does not have the keyword "court"',
  ],
  [
    { type: "keywords_absent", value: ["sue", "court"], require: "any" },
    "sue in court",
    false,
    0,
    'Expected the answer to lack one of the keywords "sue", "court", but it is "sue in court"',
  ],
];

describe("checks of the final answer", () => {
  it.each(rows)("%j on %j", async (config, output, pass, score, message) => {
    expect(await judge(config, output)).toMatchObject({ pass, score, message });
  });

  it.each([
    ["für", "Wir fahren fürs Leben", false],
    ["über", "ÜBER alles", true],
    ["u\u0308ber", "über", true],
    ["ber", "über", false],
    ["C++", "I like C++, really", true],
    ["C++", "C+++", true],
    ["5", "15 or 50", false],
    ["don't", "I don’t know", true],
    ["日本", "日本", true],
    ["a", "a\u0301", false],
    ["𝒜", "x𝒜", false],
    ["x", "𝒜x", false],
    ["cat", "concat cat", true],
    ["cat", "cat_food", true],
  ])("finds the whole word %j in %j: %s", async (value, output, pass) => {
    expect((await judge({ type: "keywords_present", value }, output)).pass).toBe(pass);
  });

  it.each([
    [{ type: "contains", value: "" }, "An empty string is in every answer"],
    [{ type: "contains", value: [] }, '"value" must have at least 1 entry'],
    [{ type: "equals", value: ["a", "b"] }, "An answer cannot equal several different strings"],
    [{ type: "keywords_present", value: [" "] }, "A keyword must not be blank"],
    [{ type: "matches", value: "(" }, "Unterminated group"],
    [{ type: "matches", value: "a", flags: "y" }, 'Unknown flag "y"'],
  ])("refuses %j", async (config, message) => {
    const result = await evaluateWritten(config, { output: "" });
    expect(result).toMatchObject({
      success: false,
      error: { code: "CONFIG_VALIDATION_ERROR", message: expect.stringContaining(message) },
    });
  });

  it("turns a regular expression that runs out of time into an error", async () => {
    shortenDeadlines();
    const result = await evaluateWritten({ type: "matches", value: "^(a|aa|a+)+$" }, { output: `${"a".repeat(60)}b` });
    expect(result).toMatchObject({
      success: false,
      error: { code: "ASSERTION_EVAL_ERROR", cause: { name: "RegexTimeout" } },
    });
  });

  it("looks for a near miss in a long answer in bounded time", async () => {
    const output = "lorem ipsum dolor ".repeat(20_000);
    const result = await judge({ type: "contains", value: "ipsum dolor amet consectetur" }, output);
    expect(result.pass).toBe(false);
    expect(result.message.length).toBeLessThan(300);
  });
});
