import { describe, expect, it } from "vitest";
import { kindlmError } from "../../errors/kindlm-error.js";
import { failure, success } from "../../result.js";
import { evaluateWritten } from "../../__fixtures__/evaluate-written.js";
import type { ModelPorts } from "../model-ports.js";
import { parseAssertion } from "../parse-assertion.js";

const before = JSON.stringify({
  status: "delivered",
  total: 49.99,
  items: [
    { sku: "a", price: 1 },
    { sku: "b", price: 2 },
  ],
  note: "Left at the door",
});

function withBaseline(answer: string | null): Partial<ModelPorts> {
  return { baselineAnswer: () => Promise.resolve(success(answer)) };
}

function evaluate(config: Record<string, unknown>, answer: string | null, output: string) {
  return evaluateWritten({ type: "drift", ...config }, { output }, { models: withBaseline(answer) });
}

async function judge(config: Record<string, unknown>, answer: string | null, output: string) {
  const result = await evaluate(config, answer, output);
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

/** The JSON of the baseline with other values. */
function changed(values: Record<string, unknown>): string {
  return JSON.stringify({ ...(JSON.parse(before) as object), ...values });
}

type Row = readonly [config: Record<string, unknown>, output: string, distance: number, found: string];

const jsonRows: readonly Row[] = [
  [{}, `\`\`\`json\n${before}\n\`\`\``, 0, "it is the same"],
  [{}, before.replaceAll(":", " : ").replace("49.99", "4999e-2"), 0, "it is the same"],
  [
    {},
    changed({ status: "shipped" }),
    1 / 7,
    'it is 0.143 away (1 of 7 fields differs: status is "shipped", was "delivered")',
  ],
  [
    {},
    changed({ total: "49.99", note: undefined, extra: { a: 1 } }),
    3 / 8,
    'it is 0.375 away (3 of 8 fields differ: total is "49.99", was 49.99; note is gone, was "Left at the door"; extra.a is new, 1)',
  ],
  [{ fields: ["total"] }, changed({ status: "x", note: "y" }), 0, "it is the same"],
  [
    { fields: ["items[*].price", "items[0].price", "status"] },
    changed({
      items: [
        { sku: "z", price: 3 },
        { sku: "b", price: 2 },
      ],
    }),
    1 / 3,
    "it is 0.334 away (1 of 3 fields differs: items[0].price is 3, was 1)",
  ],
  [
    { fields: ["items.1.price", "items[1].price"] },
    changed({ items: [{ sku: "a", price: 1 }] }),
    1,
    "it is 1 away (1 of 1 field differs: items[1].price is gone, was 2)",
  ],
  [
    {},
    changed({
      items: [
        { sku: "new", price: 0 },
        { sku: "a", price: 1 },
        { sku: "b", price: 2 },
      ],
    }),
    2 / 9,
    'it is 0.223 away (2 of 9 fields differ: items[0].sku is new, "new"; items[0].price is new, 0)',
  ],
  [{}, changed({ items: [] }), 4 / 7, "items[0].sku is gone"],
  [{}, "It was delivered.", 1, 'it is 1 away (the answer is no longer a JSON object or list: "It was delivered.")'],
  [{}, "[]", 1, "(and 3 more)"],
];

describe("drift of JSON", () => {
  it.each(jsonRows)("%j on %s", async (config, output, distance, found) => {
    const result = await judge(config, before, output);
    expect(result.score).toBeCloseTo(1 - distance, 12);
    expect(result).toMatchObject({ pass: distance <= 0.2, message: expect.stringContaining(found) });
  });

  it("compares lists, empty containers and what only looks like something else", async () => {
    const score = async (old: unknown, now: unknown) =>
      (await judge({}, JSON.stringify(old), JSON.stringify(now))).score;
    expect(await score([], [])).toBe(1);
    expect(await score([], {})).toBe(0);
    expect(await score([1, 2, 3, 4], [1, 3, 4])).toBe(0.75);
    expect(await score([null], [])).toBe(0);
    expect(await score({ a: null }, { a: {} })).toBe(0);
    expect(await score({ a: { b: 1, c: 2 } }, { a: 1 })).toBe(0);
    expect(await score({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(1);
    expect(await score(JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 2}'))).toBe(0);
  });

  it.each([
    [{ fields: ["statuss"] }, before, 'neither answer has the field "statuss"'],
    [{ fields: ["status"] }, "It was delivered.", "the baseline's answer is not a JSON object or list"],
  ])("cannot decide %j", async (config, answer, message) => {
    expect(await evaluate(config, answer, before)).toMatchObject({
      error: { code: "ASSERTION_EVAL_ERROR", message: expect.stringContaining(message) },
    });
  });
});

describe("drift of other text", () => {
  it.each([
    ["Your order was delivered.", "your order was  delivered", 0, "it is the same"],
    ["one two three four five", "one two three four six", 0.2, 'from word 5 on it says "six", not "five"'],
    ["42", "43", 1, 'it says "43", not "42"'],
    ["", "", 0, "it is the same"],
    ["something", "", 1, "the answer is empty"],
  ])("%j, now %j", async (answer, output, distance, found) => {
    const result = await judge({}, answer, output);
    expect(result.score).toBeCloseTo(1 - distance, 12);
    expect(result).toMatchObject({ pass: distance <= 0.2, message: expect.stringContaining(found) });
  });

  it("says what is too far", async () => {
    expect(await judge({ max: 0 }, "Yes.", "No.")).toMatchObject({
      pass: false,
      expected: "Yes.",
      actual: "No.",
      message:
        'Expected the answer to be at most 0 away from that of the baseline, but it is 1 away (it says "No", not "Yes")',
    });
  });

  it("measures by embeddings where asked", async () => {
    const models: Partial<ModelPorts> = {
      ...withBaseline("Yes."),
      embed: () =>
        Promise.resolve(
          success({
            vectors: [
              [3, 4],
              [4, 3],
            ],
            costUsd: null,
          }),
        ),
    };
    const result = await evaluateWritten({ type: "drift", method: "embedding" }, { output: "Sure." }, { models });
    expect(result).toMatchObject({ data: { pass: true, message: expect.stringContaining("it is 0.04 away") } });
  });
});

describe("drift and its baseline", () => {
  it("is skipped where there is none yet, whether negated or in a group", async () => {
    const skipped = { pass: true, skipped: true, awaitsBaseline: true };
    expect(await judge({}, null, "Yes.")).toMatchObject({
      ...skipped,
      message: "Skipped: the baseline has no answer of this case yet",
    });
    expect(await judge({ not: true }, null, "Yes.")).toMatchObject(skipped);
    const models = withBaseline(null);
    const group = await evaluateWritten({ any_of: [{ type: "drift" }] }, { output: "Yes." }, { models });
    expect(group).toMatchObject({ data: skipped });
    const mixed = { any_of: [{ type: "drift" }, { type: "contains", value: "No" }] };
    expect(await evaluateWritten(mixed, { output: "Yes." }, { models })).toMatchObject({ data: { pass: false } });
  });

  it("passes on why it cannot be read", async () => {
    const error = kindlmError("BASELINE_CORRUPT", "The baseline of s is corrupt");
    const models: Partial<ModelPorts> = { baselineAnswer: () => Promise.resolve(failure(error)) };
    expect(await evaluateWritten({ type: "drift" }, { output: "" }, { models })).toEqual({ success: false, error });
  });
});

describe("the options of drift", () => {
  it.each([
    [{ max: 20 }, '"max" must be at most 1'],
    [{ fields: [] }, "fields"],
    [{ fields: ["a[b"] }, "is not a path"],
    [{ fields: ["$"] }, "A field needs a name"],
    [{ method: "judge", fields: ["a"] }, '"fields" has no effect with method judge'],
    [{ model: "m" }, "Method field_diff calls no model"],
    [{ threshold: 0.5 }, 'Unknown key "threshold"'],
  ])("refuses %j", async (config, message) => {
    expect(await evaluate(config, null, "")).toMatchObject({
      error: { code: "CONFIG_VALIDATION_ERROR", message: expect.stringContaining(message) },
    });
  });

  it("points at the baseline, and at the model that it asks", () => {
    const parsed = parseAssertion({ type: "drift", method: "embedding", model: "small" }, "/");
    expect(parsed).toMatchObject({
      data: {
        references: [
          { kind: "baseline_answer", path: ["type"] },
          { kind: "embedder", model: "small", path: ["model"] },
        ],
      },
    });
  });
});
