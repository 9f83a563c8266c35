import { describe, expect, it } from "vitest";
import { problemsOf } from "../../schema-parts/parse-with.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { AssertionContext } from "../define-assertion.js";
import type { AssertionOutcome } from "../assertion-result.js";
import { toolCalled } from "./tool-called.js";

const noContext = {} as AssertionContext;

const calls: readonly TrialToolCall[] = [
  { tool: "lookup_order", args: { order_id: "ORD-7" }, turn: 1, result: { status: "open" } },
  {
    tool: "lookup_order",
    args: { order_id: "ORD-9", verbose: true },
    turn: 2,
    error: { errorType: "runtime", message: "upstream timed out", retryable: true },
  },
  { tool: "cancel_order", args: {}, turn: 2, result: { ok: false } },
];

async function outcomeOf(written: unknown, made: readonly TrialToolCall[] = calls): Promise<AssertionOutcome> {
  const result = await toolCalled.evaluate(toolCalled.options.parse(written), { toolCalls: made }, noContext);
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

describe("tool_called", () => {
  it.each<[written: object, message: string]>([
    [{ tool: "lookup_order" }, 'Tool "lookup_order" was called 2 times'],
    [{ tool: "cancel_order" }, 'Tool "cancel_order" was called'],
    [
      { tool: "lookup_order", args: { order_id: { $regex: "7$" } } },
      "lookup_order({order_id: matching /7$/}) was called",
    ],
    [{ tool: "lookup_order", times: 2 }, 'Tool "lookup_order" was called 2 times'],
    [{ tool: "lookup_order", min: 2, max: 3 }, 'Tool "lookup_order" was called 2 times'],
    [{ tool: "pay", times: 0 }, 'Tool "pay" was not called'],
    [{ tool: "pay", max: 0 }, 'Tool "pay" was not called'],
    [{ tool: "lookup_order", result: { status: "open" } }, 'lookup_order returning {status: "open"} was called'],
    [{ tool: "lookup_order", result: { $absent: true } }, "lookup_order returning absent was called"],
    [{ tool: "lookup_order", before: "cancel_order", times: 1 }, 'Tool "lookup_order" was called'],
    [{ tool: "cancel_order", after: "lookup_order" }, 'Tool "cancel_order" was called'],
  ])("passes for %j", async (written, message) => {
    expect(await outcomeOf(written)).toEqual({ pass: true, score: 1, message });
  });

  it.each<[written: object, message: string]>([
    [
      { tool: "lookup_order", args: { order_id: "ORD-1" } },
      'Expected lookup_order({order_id: "ORD-1"}), but the closest of 2 calls differs at order_id: "ORD-7"',
    ],
    [
      { tool: "lookup_order", args: { order_id: "ORD-1", verbose: true } },
      'Expected lookup_order({order_id: "ORD-1", verbose: true}), but the closest of 2 calls differs at order_id: "ORD-9"',
    ],
    [
      { tool: "cancel_order", args: { a: 1, b: 2, c: 3, d: 4 } },
      "Expected cancel_order({a: 1, b: 2, c: 3, d: 4}), but the only call differs at a: absent, b: absent, c: absent and 1 more",
    ],
    [
      { tool: "lookup_orders", args: { a: 1 } },
      'Expected lookup_orders({a: 1}) to be called, but it was never called; called: lookup_order (2 times) and cancel_order; the nearest name is "lookup_order"',
    ],
    [
      { tool: "refund" },
      'Expected tool "refund" to be called, but it was never called; called: lookup_order (2 times) and cancel_order',
    ],
    [
      { tool: "lookup_order", times: 3 },
      'Expected tool "lookup_order" to be called exactly 3 times, but it was called 2 times',
    ],
    [{ tool: "lookup_order", times: 0 }, 'Expected tool "lookup_order" not to be called, but it was called 2 times'],
    [
      { tool: "lookup_order", min: 3 },
      'Expected tool "lookup_order" to be called at least 3 times, but it was called 2 times',
    ],
    [
      { tool: "lookup_order", max: 1 },
      'Expected tool "lookup_order" to be called exactly once, but it was called 2 times',
    ],
    [
      { tool: "lookup_order", min: 0, max: 1 },
      'Expected tool "lookup_order" to be called at most once, but it was called 2 times',
    ],
    [
      { tool: "lookup_order", min: 3, max: 4 },
      'Expected tool "lookup_order" to be called 3 to 4 times, but it was called 2 times',
    ],
    [
      { tool: "lookup_order", args: { verbose: true }, min: 2 },
      "Expected lookup_order({verbose: true}) to be called at least 2 times, but it was called 1 time",
    ],
    [
      { tool: "cancel_order", result: { ok: true } },
      "Expected cancel_order returning {ok: true}, but the only call differs in its result at ok: false",
    ],
    [
      { tool: "lookup_order", args: { verbose: true }, result: { $any: true } },
      'Expected lookup_order({verbose: true}) returning any value, but the closest of 2 calls failed with a runtime error: "upstream timed out"',
    ],
    [
      { tool: "cancel_order", before: "lookup_order" },
      'Expected tool "cancel_order" to be called before "lookup_order", but the only call is not in a turn before a call of "lookup_order"',
    ],
    [
      { tool: "cancel_order", after: "pay" },
      'Expected tool "cancel_order" to be called after "pay", but the only call has no call of "pay" to come after: that was never called',
    ],
  ])("fails for %j", async (written, message) => {
    expect(await outcomeOf(written)).toMatchObject({ pass: false, score: 0, message });
  });

  it("says that no tools were called", async () => {
    const { message } = await outcomeOf({ tool: "lookup_order" }, []);
    expect(message).toBe('Expected tool "lookup_order" to be called, but no tools were called');
  });

  it("shows what was expected and the nearest call as data", async () => {
    const args = { order_id: "ORD-1" };
    expect(await outcomeOf({ tool: "lookup_order", args, min: 1 })).toMatchObject({
      expected: { tool: "lookup_order", args, min: 1 },
      actual: { tool: "lookup_order", args: { order_id: "ORD-7" }, result: { status: "open" } },
    });
    expect(await outcomeOf({ tool: "pay" })).toMatchObject({
      actual: ["lookup_order", "lookup_order", "cancel_order"],
    });
  });

  it("takes calls of one turn for parallel, and goes by position where turns are not known", async () => {
    const pair = (first?: number, second?: number): TrialToolCall[] => [
      { tool: "a", args: {}, ...(first === undefined ? {} : { turn: first }) },
      { tool: "b", args: {}, ...(second === undefined ? {} : { turn: second }) },
    ];
    const before = { tool: "a", before: "b" };
    expect((await outcomeOf(before, pair(1, 1))).pass).toBe(false);
    expect((await outcomeOf(before, pair(1, 2))).pass).toBe(true);
    expect((await outcomeOf(before, pair())).pass).toBe(true);
    expect((await outcomeOf({ tool: "b", before: "a" }, pair())).pass).toBe(false);
    expect((await outcomeOf({ tool: "b", after: "a" }, pair(1, 1))).pass).toBe(false);
  });

  it("reports arguments that are not JSON", async () => {
    const { message } = await outcomeOf({ tool: "a", args: { x: 1 } }, [{ tool: "a", args: undefined }]);
    expect(message).toBe("Expected a({x: 1}), but the only call has arguments that are not JSON");
  });

  it("lets no name that looks the same pass an upper limit, and meets no lower one with it", async () => {
    const made: readonly TrialToolCall[] = [{ tool: "functions.pay", args: {} }];
    expect(await outcomeOf({ tool: "pay", max: 0, min: 0 }, made)).toMatchObject({
      pass: false,
      message: 'Expected tool "pay" not to be called, but it was called 1 time',
      actual: [{ tool: "functions.pay" }],
    });
    expect((await outcomeOf({ tool: "pay" }, made)).pass).toBe(false);
    const options = toolCalled.options.parse({ tool: "pay" });
    const negated = await toolCalled.evaluate(options, { toolCalls: made }, { ...noContext, isNegated: true });
    expect(negated).toMatchObject({ data: { pass: true } });
  });

  it("cannot be evaluated on a trial without tool calls recorded", async () => {
    const result = await toolCalled.evaluate(toolCalled.options.parse({ tool: "a" }), {}, noContext);
    expect(result).toMatchObject({
      success: false,
      error: { code: "ASSERTION_EVAL_ERROR", details: { type: "tool_called" } },
    });
  });

  it.each<[written: object, path: string, message: string]>([
    [{ tool: "a", times: 1, max: 2 }, "times", '"times" cannot be combined with "min" or "max"'],
    [{ tool: "a", min: 3, max: 2 }, "min", '"min" is more than "max"'],
    [{ tool: "a", arg: {} }, "arg", 'Unknown key "arg"'],
    [{ tool: "a", args: { $regx: "x" } }, "args.$regx", 'Unknown operator "$regx"'],
    [{ tool: "" }, "tool", '"tool" must have at least 1 character'],
  ])("refuses %j", (written, path, message) => {
    const parsed = toolCalled.options.safeParse(written);
    const problems = parsed.success ? [] : problemsOf(parsed.error);
    expect(problems.map((problem) => [problem.path.join("."), problem.message])).toEqual([[path, message]]);
  });

  it("needs the tools it names unless no call is wanted", () => {
    const referencesOf = (written: object) => toolCalled.references?.(toolCalled.options.parse(written));
    expect(referencesOf({ tool: "a", before: "b", after: "c" })).toEqual([
      { kind: "tool", name: "a", needed: true, path: ["tool"] },
      { kind: "tool", name: "b", needed: true, path: ["before"] },
      { kind: "tool", name: "c", needed: true, path: ["after"] },
    ]);
    expect(referencesOf({ tool: "a", times: 0 })).toMatchObject([{ needed: false }]);
    expect(referencesOf({ tool: "a", min: 0, max: 3 })).toMatchObject([{ needed: false }]);
  });
});
