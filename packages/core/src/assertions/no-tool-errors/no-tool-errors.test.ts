import { describe, expect, it } from "vitest";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { AssertionContext } from "../define-assertion.js";
import { noToolErrors } from "./no-tool-errors.js";

const calls: readonly TrialToolCall[] = [
  { tool: "fs_read", args: { path: "a" }, turn: 1, result: "text" },
  {
    tool: "fs_read",
    args: {},
    turn: 2,
    error: { errorType: "validation", message: "path is required", retryable: false },
  },
  {
    tool: "pay",
    args: { amount: 5 },
    turn: 3,
    error: { errorType: "aborted", message: "timed out", retryable: false },
  },
];

const evaluate = (written: unknown, trial: object = { toolCalls: calls }) =>
  noToolErrors.evaluate(noToolErrors.options.parse(written), trial, {} as AssertionContext);

describe("no_tool_errors", () => {
  it.each<[written: object, message: string]>([
    [{ error_type: "logical" }, "None of 3 calls failed with a logical error"],
    [{ error_type: ["runtime", "exception"] }, "None of 3 calls failed with a runtime or exception error"],
    [{ tool: "refund" }, "None of 0 calls of refund failed with an error"],
    [{ tool: "pay", error_type: "validation" }, "None of 1 call of pay failed with a validation error"],
  ])("passes for %j", async (written, message) => {
    expect(await evaluate(written)).toEqual({ success: true, data: { pass: true, score: 1, message } });
  });

  const refused = 'fs_read() failed in turn 2 with a validation error: "path is required"';
  const stopped = 'pay({amount: 5}) failed in turn 3 with an aborted error: "timed out"';
  it.each<[written: object, message: string]>([
    [{}, `Expected no call to fail with an error, but ${refused} (and 1 more)`],
    [{ tool: "fs_*" }, `Expected no call of fs_* to fail with an error, but ${refused}`],
    [
      { tool: ["fs_*", "pay"], error_type: "aborted" },
      `Expected no call of fs_* or pay to fail with an aborted error, but ${stopped}`,
    ],
    [
      { error_type: ["logical", "aborted"] },
      `Expected no call to fail with a logical or aborted error, but ${stopped}`,
    ],
  ])("fails for %j", async (written, message) => {
    expect(await evaluate(written)).toMatchObject({ data: { pass: false, score: 0, message } });
  });

  it("shows each failed call with its turn and its error", async () => {
    expect(await evaluate({ tool: "pay" })).toMatchObject({
      data: {
        expected: { tool: "pay" },
        actual: [
          {
            turn: 3,
            tool: "pay",
            args: { amount: 5 },
            error: { errorType: "aborted", retryable: false, message: "timed out" },
          },
        ],
      },
    });
  });

  it("passes where no tool was called, but not where calls were not recorded", async () => {
    expect(await evaluate({}, { toolCalls: [] })).toMatchObject({ data: { pass: true } });
    expect(await evaluate({}, {})).toMatchObject({ success: false, error: { code: "ASSERTION_EVAL_ERROR" } });
  });

  it("refers to names and globs, and needs none", () => {
    expect(noToolErrors.references?.(noToolErrors.options.parse({ tool: ["a_*", "b"] }))).toEqual([
      { kind: "tool", name: "a_*", needed: false, isGlob: true, path: ["tool", 0] },
      { kind: "tool", name: "b", needed: false, path: ["tool", 1] },
    ]);
    expect(noToolErrors.references?.({})).toEqual([]);
  });

  it("refuses an unknown type and an empty list", () => {
    expect(noToolErrors.options.safeParse({ error_type: "timeout" }).success).toBe(false);
    expect(noToolErrors.options.safeParse({ error_type: [] }).success).toBe(false);
  });

  it("sees the error behind a fallback only when it is asked to", async () => {
    const reason = { errorType: "runtime", message: "no connection", retryable: true } as const;
    const trial = { toolCalls: [{ tool: "stock", args: {}, result: 1, turn: 1, fallback: { by: "answer", reason } }] };
    expect(await evaluate({}, trial)).toMatchObject({ data: { pass: true } });
    expect(await evaluate({ allow_fallback: false, error_type: "logical" }, trial)).toMatchObject({
      data: { pass: true },
    });
    expect(await evaluate({ allow_fallback: false }, trial)).toMatchObject({
      data: {
        pass: false,
        message:
          'Expected no call to fail with an error, but stock() failed in turn 1 with a runtime error: "no connection"',
      },
    });
  });
});
