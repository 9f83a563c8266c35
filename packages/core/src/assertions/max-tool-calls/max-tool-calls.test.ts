import { describe, expect, it } from "vitest";
import type { AssertionContext } from "../define-assertion.js";
import { maxToolCalls } from "./max-tool-calls.js";

const toolCalls = ["a_one", "a_two", "a_one", "b"].map((tool) => ({ tool, args: {} }));
const evaluate = (written: unknown, trial: object = { toolCalls }) =>
  maxToolCalls.evaluate(maxToolCalls.options.parse(written), trial, {} as AssertionContext);

describe("max_tool_calls", () => {
  it.each<[written: object, message: string]>([
    [{ max: 4 }, "4 of at most 4 tool calls made"],
    [{ max: 1, tool: "b" }, "1 of at most 1 call of b made"],
    [{ max: 3, tool: "a_*" }, "3 of at most 3 calls of a_* made"],
    [{ max: 0, tool: "c" }, "0 of at most 0 calls of c made"],
  ])("passes for %j", async (written, message) => {
    expect(await evaluate(written)).toEqual({ success: true, data: { pass: true, score: 1, message } });
  });

  it.each<[written: object, message: string, actual: number]>([
    [{ max: 3 }, "Expected at most 3 tool calls, but 4 were made: a_one (2 times), a_two and b", 4],
    [{ max: 2, tool: "a_*" }, "Expected at most 2 calls of a_*, but 3 were made: a_one (2 times) and a_two", 3],
    [{ max: 0, tool: "b" }, "Expected at most 0 calls of b, but 1 was made: b", 1],
  ])("fails for %j", async (written, message, actual) => {
    expect(await evaluate(written)).toMatchObject({ data: { pass: false, score: 0, message, actual } });
  });

  it("cannot be evaluated without recorded calls", async () => {
    expect(await evaluate({ max: 1 }, {})).toMatchObject({ success: false, error: { code: "ASSERTION_EVAL_ERROR" } });
  });

  it("refers to a named tool without needing it", () => {
    expect(maxToolCalls.references?.({ max: 1, tool: "b" })).toEqual([
      { kind: "tool", name: "b", needed: false, path: ["tool"] },
    ]);
    expect(maxToolCalls.references?.({ max: 1, tool: "b*" })).toEqual([
      { kind: "tool", name: "b*", needed: false, isGlob: true, path: ["tool"] },
    ]);
    expect(maxToolCalls.references?.({ max: 1 })).toEqual([]);
  });
});
