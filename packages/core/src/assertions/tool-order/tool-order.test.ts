import { describe, expect, it } from "vitest";
import type { AssertionContext } from "../define-assertion.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { toolOrder, longestInOrder } from "./tool-order.js";
import fc from "fast-check";

async function outcomeOf(written: object, made: string): Promise<AssertionOutcome> {
  const toolCalls = made.split("").map((tool, index) => ({ tool, args: { n: index } }));
  const result = await toolOrder.evaluate(toolOrder.options.parse(written), { toolCalls }, {} as AssertionContext);
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

describe("tool_order", () => {
  it.each<[tools: unknown[], made: string, strict?: boolean]>([
    [["a", "b"], "ab"],
    [["a", "b"], "xaxbx"],
    [["a", "b"], "bab"],
    [["a", "a"], "axa"],
    [["a", { tool: "b", args: { n: 3 } }], "abxb"],
    [["a", "b"], "axabx", true],
    [["a"], "xxa", true],
  ])("%j are in order in %s (strict: %s)", async (tools, made, strict = false) => {
    expect(await outcomeOf({ tools, strict }, made)).toMatchObject({ pass: true, score: 1 });
  });

  it.each<[tools: unknown[], made: string, strict: boolean, score: number, why: string]>([
    [["a", "b"], "", false, 0, "no tools were called"],
    [["a", "b"], "a", false, 0.5, "b was never called (called: a)"],
    [["a", "b"], "ba", false, 0.5, "a was not called before b (called: b → a)"],
    [["a", "b", "c"], "acb", false, 2 / 3, "b was not called after a and before c (called: a → c → b)"],
    [["a", "a"], "a", false, 0.5, "a was not called after a (called: a)"],
    [["a", { tool: "b", args: { n: 7 } }], "ab", false, 0.5, "of b the only call differs at n: 1 (called: a → b)"],
    [["a", "b"], "axb", true, 0.5, "other calls lie between (called: a → x → b)"],
    [["a", "b", "c"], "abxc", true, 2 / 3, "other calls lie between (called: a → b → x → c)"],
    [["a", "b"], "a", true, 0.5, "b was never called (called: a)"],
  ])("%j are not in order in %s (strict: %s)", async (tools, made, strict, score, why) => {
    const { message, ...rest } = await outcomeOf({ tools, strict }, made);
    expect(rest).toMatchObject({ pass: false, score });
    expect(message.slice(message.indexOf(", but ") + 6)).toBe(why);
  });

  it("names the order that was wanted", async () => {
    const { message, expected, actual } = await outcomeOf(
      { tools: ["a", { tool: "b", args: { n: { $gt: 3 } } }] },
      "a",
    );
    expect(message).toContain("Expected the order a → b({n: more than 3}), but");
    expect(expected).toEqual([{ tool: "a" }, { tool: "b", args: { n: { $gt: 3 } } }]);
    expect(actual).toEqual([{ tool: "a", args: { n: 0 } }]);
  });

  it.each<[turns: string[], strict: boolean, why: string]>([
    [["ab"], false, "b was called in the same turn as a, so neither is first (called: [a, b])"],
    [["a", "xb", "c"], true, "other calls lie between (called: a → [x, b] → c)"],
  ])("says what is wrong with the turns %j", async (turns, strict, why) => {
    const toolCalls = turns.flatMap((tools, index) =>
      tools.split("").map((tool) => ({ tool, args: {}, turn: index + 1 })),
    );
    const tools = turns.length === 1 ? ["a", "b"] : ["a", "b", "c"];
    const written = toolOrder.options.parse({ tools, strict });
    const result = await toolOrder.evaluate(written, { toolCalls }, {} as AssertionContext);
    const message = result.success ? result.data.message : result.error.message;
    expect(message.slice(message.indexOf(", but ") + 6)).toBe(why);
  });

  it("shortens a long sequence", async () => {
    const { message } = await outcomeOf({ tools: ["a"] }, "x".repeat(100));
    expect(message).toContain("→ … (100 calls)");
  });

  it("needs every tool it names", () => {
    expect(toolOrder.references?.(toolOrder.options.parse({ tools: ["a", { tool: "b" }] }))).toEqual([
      { kind: "tool", name: "a", needed: true, path: ["tools", 0] },
      { kind: "tool", name: "b", needed: true, path: ["tools", 1] },
    ]);
  });

  it("refuses an empty list, and cannot be evaluated without recorded calls", async () => {
    expect(toolOrder.options.safeParse({ tools: [] }).success).toBe(false);
    const result = await toolOrder.evaluate({ tools: [{ tool: "a" }] }, {}, {} as AssertionContext);
    expect(result).toMatchObject({ success: false, error: { code: "ASSERTION_EVAL_ERROR" } });
  });
});

const letters = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 7 });
const equal = (a: string, b: string): boolean => a === b;

/** By trying everything. */
function longestLength(left: readonly string[], right: readonly string[]): number {
  const [first, ...rest] = left;
  if (first === undefined) return 0;
  const place = right.indexOf(first);
  const without = longestLength(rest, right);
  return place < 0 ? without : Math.max(without, 1 + longestLength(rest, right.slice(place + 1)));
}

describe("longestInOrder", () => {
  it("finds as many in order as there are", () => {
    fc.assert(
      fc.property(letters, letters, (expected, made) => {
        const partners = longestInOrder(expected, made, equal);
        const taken = partners.filter((partner) => partner !== null);
        expect(taken.length).toBe(longestLength(expected, made));
        expect(taken.toSorted((a, b) => a - b)).toEqual(taken);
        expect(new Set(taken).size).toBe(taken.length);
        for (const [index, partner] of partners.entries()) {
          if (partner !== null) expect(made[partner]).toBe(expected[index]);
        }
      }),
    );
  });

  it("leaves nothing out that stands alone", () => {
    expect(longestInOrder(["a", "b"], ["x", "a", "y", "b"], equal)).toEqual([1, 3]);
    expect(longestInOrder([], ["a"], equal)).toEqual([]);
  });
});
