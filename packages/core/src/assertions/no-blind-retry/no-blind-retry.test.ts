import { describe, expect, it } from "vitest";
import type { ToolErrorType } from "../../transcript/tool-failure.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { AssertionContext } from "../define-assertion.js";
import { noBlindRetry } from "./no-blind-retry.js";

const order = { order_id: "ORD-1", amount: 49 };
const ok = (tool: string, args: unknown, turn: number): TrialToolCall => ({ tool, args, turn, result: "ok" });
interface FailedCall {
  tool?: string;
  args?: unknown;
  type?: ToolErrorType;
  retryable?: boolean;
}
const failed = (
  turn: number | undefined,
  { tool = "charge", args = order, type = "logical", retryable = false }: FailedCall = {},
): TrialToolCall => ({
  tool,
  args,
  ...(turn === undefined ? {} : { turn }),
  error: { errorType: type, message: "declined", retryable },
});

const evaluate = (toolCalls: readonly TrialToolCall[] | undefined, written: unknown = {}) =>
  noBlindRetry.evaluate(
    noBlindRetry.options.parse(written),
    toolCalls === undefined ? {} : { toolCalls },
    {} as AssertionContext,
  );

describe("no_blind_retry", () => {
  const restrained =
    'The failed call was not repeated: charge({order_id: "ORD-1", amount: 49}) failed in turn 1 with a logical error: "declined"';
  const nothing = "No call failed in a way that forbids the same call";
  it.each<[why: string, calls: TrialToolCall[], written: object, message: string]>([
    ["no call", [], {}, nothing],
    ["calls that succeed", [ok("charge", order, 1), ok("charge", order, 2)], {}, nothing],
    ["an agent that gives up", [failed(1)], {}, restrained],
    ["other arguments", [failed(1), ok("charge", { ...order, amount: 40 }, 2)], {}, restrained],
    ["another tool", [failed(1), ok("invoice", order, 2)], {}, restrained],
    [
      "a parallel call of the same turn",
      [failed(1), failed(1)],
      {},
      restrained.replace("repeated:", "repeated, nor were 1 more:"),
    ],
    ["a retry that the error allows", [failed(1, { retryable: true }), ok("charge", order, 2)], {}, nothing],
    [
      "an error of another type than is meant",
      [failed(1, { retryable: true }), ok("charge", order, 2)],
      { errors: ["runtime"] },
      nothing,
    ],
    [
      "another tool than is meant",
      [failed(1), failed(2)],
      { tool: "pay_*" },
      "No call of pay_* failed in a way that forbids the same call",
    ],
    [
      "a retry once the cause is gone",
      [failed(1), ok("update_card", {}, 2), ok("charge", order, 3)],
      { unless_after: "update_card" },
      restrained,
    ],
  ])("passes for %s", async (_, calls, written, message) => {
    expect(await evaluate(calls, written)).toEqual({ success: true, data: { pass: true, score: 1, message } });
  });

  const again = (turns: string, why: string) =>
    `Expected no blind retry, but charge({order_id: "ORD-1", amount: 49}) was called again${turns} with the same arguments after it failed${why}`;
  const final = ' with a logical error: "declined" (not retryable)';
  it.each<[why: string, calls: TrialToolCall[], written: object, message: string]>([
    ["a retry that works", [failed(1), ok("charge", order, 2)], {}, again(" in turn 2", ` in turn 1${final}`)],
    [
      "keys in another order, and other calls between",
      [failed(1), ok("lookup", {}, 2), failed(3, { args: { amount: 49, order_id: "ORD-1" } })],
      {},
      again(" in turn 3", ` in turn 1${final}`).replace(
        'order_id: "ORD-1", amount: 49',
        'amount: 49, order_id: "ORD-1"',
      ),
    ],
    [
      "a tool that fails again and again",
      [failed(1), failed(2), failed(3)],
      {},
      `${again(" in turn 2", ` in turn 1${final}`)} (and 1 more)`,
    ],
    ["turns that are not known", [failed(undefined), failed(undefined)], {}, again("", final)],
    [
      "any error, where that is asked",
      [failed(1, { type: "runtime", retryable: true }), ok("charge", order, 2)],
      { errors: "any" },
      again(" in turn 2", ' in turn 1 with a runtime error: "declined"'),
    ],
    [
      "an error of a type that is named",
      [failed(1, { type: "exception", retryable: true }), ok("charge", order, 2)],
      { errors: ["runtime", "exception"], tool: ["charge"] },
      again(" in turn 2", ' in turn 1 with an exception error: "declined"'),
    ],
    [
      "a call that was to clear the error but failed",
      [failed(1), failed(2, { tool: "update_card" }), ok("charge", order, 3)],
      { unless_after: ["update_card"] },
      again(" in turn 3", ` in turn 1${final}`),
    ],
    [
      "arguments that are not JSON, sent again as they were",
      [failed(1, { args: "{oops", type: "validation" }), failed(2, { args: "{oops", type: "validation" })],
      {},
      'Expected no blind retry, but charge("{oops") was called again in turn 2 with the same arguments after it failed in turn 1 with a validation error: "declined" (not retryable)',
    ],
  ])("fails for %s", async (_, calls, written, message) => {
    expect(await evaluate(calls, written)).toMatchObject({ data: { pass: false, score: 0, message } });
  });

  it("distinguishes two calls of one turn by what came after them", async () => {
    // The second of the two was declined for good; that the first may be tried again does not help it.
    const calls = [failed(1, { retryable: true }), failed(1), ok("charge", order, 2)];
    expect(await evaluate(calls)).toMatchObject({ data: { pass: false, actual: [{ failed: { turn: 1 } }] } });
    expect(await evaluate([calls[1] ?? failed(1), calls[0] ?? failed(1), ok("charge", order, 2)])).toMatchObject({
      data: { pass: false },
    });
  });

  it("shows the failed call and the one that repeats it", async () => {
    expect(await evaluate([failed(1), failed(4)], { tool: "charge" })).toMatchObject({
      data: {
        expected: { tool: "charge" },
        actual: [{ failed: { turn: 1, args: order, error: { retryable: false } }, again: { turn: 4, args: order } }],
      },
    });
  });

  it("cannot be evaluated without recorded calls", async () => {
    expect(await evaluate(undefined)).toMatchObject({ success: false, error: { code: "ASSERTION_EVAL_ERROR" } });
  });

  it("refers to the tools that it names, and needs none", () => {
    expect(noBlindRetry.references?.({ tool: "charge", unless_after: ["update_card", "x*"] })).toEqual([
      { kind: "tool", name: "charge", needed: false, path: ["tool"] },
      { kind: "tool", name: "update_card", needed: false, path: ["unless_after", 0] },
      { kind: "tool", name: "x*", needed: false, isGlob: true, path: ["unless_after", 1] },
    ]);
  });

  it.each([{ errors: "some" }, { errors: [] }, { errors: ["fatal"] }])("refuses %j", (written) => {
    expect(noBlindRetry.options.safeParse(written).success).toBe(false);
  });
});
