import { describe, expect, it } from "vitest";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { AssertionContext } from "../define-assertion.js";
import { toolNotCalled } from "./tool-not-called.js";

const calls: readonly TrialToolCall[] = [
  { tool: "delete_user", args: { id: 5 } },
  { tool: "delete_file", args: { id: 6 } },
  { tool: "lookup", args: {} },
];

const evaluate = (written: unknown, toolCalls: readonly TrialToolCall[] | undefined = calls) =>
  toolNotCalled.evaluate(
    toolNotCalled.options.parse(written),
    toolCalls === undefined ? {} : { toolCalls },
    {} as AssertionContext,
  );

describe("tool_not_called", () => {
  it.each<[written: object, message: string]>([
    [{ tool: "pay" }, "No call of pay was made"],
    [{ tool: "delete" }, "No call of delete was made"],
    [{ tool: "look*_all" }, "No call of look*_all was made"],
    [{ tool: ["pay", "refund_*"] }, "No call of pay or refund_* was made"],
    [{ tool: "delete_user", args: { id: 6 } }, "No call of delete_user with {id: 6} was made"],
  ])("passes for %j", async (written, message) => {
    expect(await evaluate(written)).toEqual({ success: true, data: { pass: true, score: 1, message } });
  });

  it.each<[written: object, message: string]>([
    [{ tool: "lookup" }, "Expected no call of lookup, but lookup() was called"],
    [{ tool: "delete_*" }, "Expected no call of delete_*, but delete_user({id: 5}) was called (and 1 more)"],
    [{ tool: "delete_f?le" }, "Expected no call of delete_f?le, but delete_file({id: 6}) was called"],
    [{ tool: ["pay", "lookup"] }, "Expected no call of pay or lookup, but lookup() was called"],
    [
      { tool: "*", args: { id: { $gt: 5 } } },
      "Expected no call of * with {id: more than 5}, but delete_file({id: 6}) was called",
    ],
  ])("fails for %j", async (written, message) => {
    expect(await evaluate(written)).toMatchObject({ success: true, data: { pass: false, score: 0, message } });
  });

  it.each(["functions.pay", " pay", "p\u200bay"])("takes %j for pay", async (tool) => {
    expect(await evaluate({ tool: "pay" }, [{ tool, args: {} }])).toMatchObject({ data: { pass: false } });
  });

  it("shows the calls that were forbidden", async () => {
    expect(await evaluate({ tool: "delete_*", args: { id: 5 } })).toMatchObject({
      data: { expected: { tool: "delete_*", args: { id: 5 } }, actual: [{ tool: "delete_user", args: { id: 5 } }] },
    });
  });

  it("passes where no tool was called, but not where calls were not recorded", async () => {
    expect(await evaluate({ tool: "*" }, [])).toMatchObject({ data: { pass: true } });
    const result = await toolNotCalled.evaluate({ tool: "a" }, {}, {} as AssertionContext);
    expect(result).toMatchObject({ success: false, error: { code: "ASSERTION_EVAL_ERROR" } });
  });

  it("refers to names and globs, and needs none", () => {
    expect(toolNotCalled.references?.(toolNotCalled.options.parse({ tool: ["a_*", "b"] }))).toEqual([
      { kind: "tool", name: "a_*", needed: false, isGlob: true, path: ["tool", 0] },
      { kind: "tool", name: "b", needed: false, path: ["tool", 1] },
    ]);
    expect(toolNotCalled.references?.(toolNotCalled.options.parse({ tool: "b" }))).toMatchObject([{ path: ["tool"] }]);
  });

  it("refuses an empty list", () => {
    expect(toolNotCalled.options.safeParse({ tool: [] }).success).toBe(false);
  });
});
