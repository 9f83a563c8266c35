import { describe, expect, it } from "vitest";
import type { AssertionContext } from "../define-assertion.js";
import type { AssertionOutcome } from "../assertion-result.js";
import type { ListMode } from "./compare-call-lists.js";
import { toolCalls } from "./tool-calls.js";

/** `a1 b` is a call of a with {n: 1} and one of b with {}. */
const read = (text: string) =>
  text
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => ({ tool: word.slice(0, 1), args: word.length > 1 ? { n: Number(word.slice(1)) } : {} }));

async function outcomeOf(written: object, made: string): Promise<AssertionOutcome> {
  const options = toolCalls.options.parse(written);
  const result = await toolCalls.evaluate(options, { toolCalls: read(made) }, {} as AssertionContext);
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

type Verdicts = Readonly<Record<ListMode, boolean>>;
const verdicts = (...modes: ListMode[]): Verdicts => ({
  strict: modes.includes("strict"),
  unordered: modes.includes("unordered"),
  subset: modes.includes("subset"),
  superset: modes.includes("superset"),
  in_order: modes.includes("in_order"),
});

describe("tool_calls", () => {
  it.each<[expected: string, made: string, passing: Verdicts]>([
    ["a1 b", "a1 b", verdicts("strict", "unordered", "subset", "superset", "in_order")],
    ["a1 b", "b a1", verdicts("unordered", "subset", "superset")],
    ["a1 b", "a1", verdicts("subset")],
    ["a1 b", "a1 c b", verdicts("superset", "in_order")],
    ["a1 b", "b c a1", verdicts("superset")],
    ["a1 b", "a2 b", verdicts()],
    ["a1", "a1 a1", verdicts("superset", "in_order")],
    ["a1 a1", "a1", verdicts("subset")],
    ["a1 b", "", verdicts("subset")],
    // A wide matcher (a) must leave the call that the narrow one (a1) needs.
    ["a a1", "a1 a2", verdicts("unordered", "subset", "superset")],
    ["a a2", "a1 a2", verdicts("strict", "unordered", "subset", "superset", "in_order")],
  ])("%s against %s", async (expected, made, passing) => {
    const found = Object.keys(passing).map(async (mode) => {
      const { pass } = await outcomeOf({ calls: read(expected), mode }, made);
      return [mode, pass] as const;
    });
    expect(Object.fromEntries(await Promise.all(found))).toEqual(passing);
  });

  it("is strict by default", async () => {
    expect((await outcomeOf({ calls: read("a b") }, "a b")).pass).toBe(true);
    expect((await outcomeOf({ calls: read("a b") }, "b a")).pass).toBe(false);
  });

  it.each<[mode: ListMode, expected: string, made: string, score: number]>([
    ["strict", "a b", "a", 1 / 2],
    ["strict", "a b", "a b c d", 1 / 2],
    ["unordered", "a b", "b c c", 1 / 3],
    ["subset", "a b", "a c", 1 / 2],
    ["superset", "a b c", "c a", 2 / 3],
    ["in_order", "a b c", "c a b", 2 / 3],
  ])("scores %s of %s against %s as a share", async (mode, expected, made, score) => {
    expect((await outcomeOf({ calls: read(expected), mode }, made)).score).toBeCloseTo(score);
  });

  it.each<[written: object, made: string, message: string]>([
    [{ calls: read("a b") }, "", "Expected exactly the 2 tool calls listed, in this order, but no tools were called"],
    [{ calls: [] }, "a1", "Expected no tool calls, but a({n: 1}) is not expected"],
    [
      { calls: read("a1 b") },
      "a2 b",
      "Expected exactly the 2 tool calls listed, in this order, but a({n: 1}) is missing (the only call differs at n: 2); a({n: 2}) is not expected",
    ],
    [
      { calls: read("a b c") },
      "c a b",
      "Expected exactly the 3 tool calls listed, in this order, but c({}) is missing in its place; c() is out of place",
    ],
    [
      { calls: read("a"), mode: "unordered" },
      "a a",
      "Expected exactly the 1 tool call listed, in any order, but a() is one too many",
    ],
    [
      { calls: read("a a"), mode: "superset" },
      "a",
      "Expected at least the 2 tool calls listed, but a({}) is missing again",
    ],
    [
      { calls: read("a"), mode: "subset" },
      "b c d e f",
      "Expected nothing but the 1 tool call listed, but b() is not expected; c() is not expected; d() is not expected; 2 more are not expected",
    ],
    [
      { calls: read("a b c d e"), mode: "superset" },
      "x",
      "Expected at least the 5 tool calls listed, but a({}) is missing; b({}) is missing; c({}) is missing; 2 more are missing",
    ],
    [
      { calls: [{ tool: "a", result: 1 }], mode: "in_order" },
      "a1",
      "Expected the 1 tool call listed, in this order, but a returning 1 is missing (the only call differs in its result as a whole: absent)",
    ],
  ])("explains %j against %s", async (written, made, message) => {
    expect((await outcomeOf(written, made)).message).toBe(message);
  });

  it("shows both lists as data", async () => {
    expect(await outcomeOf({ calls: [{ tool: "a", args: { n: { $gt: 1 } } }] }, "a1")).toMatchObject({
      expected: [{ tool: "a", args: { n: { $gt: 1 } } }],
      actual: [{ tool: "a", args: { n: 1 } }],
    });
  });

  it("passes with an empty list when no tool is called", async () => {
    expect(await outcomeOf({ calls: [] }, "")).toEqual({
      pass: true,
      score: 1,
      message: "The calls made are as expected: no tool calls",
    });
  });

  it.each(["superset", "in_order"])("refuses an empty list with %s, which would always pass", (mode) => {
    expect(toolCalls.options.safeParse({ calls: [], mode }).success).toBe(false);
  });

  it("needs the tools it names unless it is a subset, and recorded calls", async () => {
    const referencesOf = (mode: string) => toolCalls.references?.(toolCalls.options.parse({ calls: read("a"), mode }));
    expect(referencesOf("strict")).toEqual([{ kind: "tool", name: "a", needed: true, path: ["calls", 0, "tool"] }]);
    expect(referencesOf("subset")).toMatchObject([{ needed: false }]);
    const result = await toolCalls.evaluate({ calls: [], mode: "strict" }, {}, {} as AssertionContext);
    expect(result).toMatchObject({ success: false, error: { code: "ASSERTION_EVAL_ERROR" } });
  });
});
