import { describe, expect, it } from "vitest";
import type { ToolErrorType } from "../../transcript/tool-failure.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { AssertionContext } from "../define-assertion.js";
import { fixesArguments } from "./fixes-arguments.js";

const call = (turn: number, args: unknown, type?: ToolErrorType, tool = "read"): TrialToolCall => ({
  tool,
  args,
  turn,
  ...(type === undefined ? { result: "text" } : { error: { errorType: type, message: `${type}!`, retryable: false } }),
});

const evaluate = (toolCalls: readonly TrialToolCall[] | undefined, output?: string) =>
  fixesArguments.evaluate(
    { tool: "read" },
    { ...(toolCalls === undefined ? {} : { toolCalls }), ...(output === undefined ? {} : { output }) },
    {} as AssertionContext,
  );

describe("fixes_arguments", () => {
  const refusal = 'read() failed in turn 1 with a validation error: "validation!"';
  it.each<[why: string, calls: TrialToolCall[], message: string]>([
    [
      "a corrected call",
      [call(1, {}, "validation"), call(2, { path: "a" })],
      `The arguments were corrected: read({path: "a"}) in turn 2 after ${refusal}`,
    ],
    [
      "valid arguments with which the tool fails otherwise",
      [call(1, {}, "validation"), call(2, { path: "a" }, "runtime")],
      `The arguments were corrected: read({path: "a"}) in turn 2 after ${refusal}`,
    ],
    [
      "the third try",
      [call(1, {}, "validation"), call(2, { p: 1 }, "validation"), call(3, {}, "validation"), call(4, { path: "a" })],
      `The arguments were corrected: read({path: "a"}) in turn 4 after ${refusal} (and 2 more)`,
    ],
    [
      "arguments that were no JSON",
      [call(1, '{"path":', "validation"), call(2, { path: "a" })],
      'The arguments were corrected: read({path: "a"}) in turn 2 after read("{\\"path\\":") failed in turn 1 with a validation error: "validation!"',
    ],
  ])("passes for %s", async (_, calls, message) => {
    expect(await evaluate(calls)).toEqual({ success: true, data: { pass: true, score: 1, message } });
  });

  const wanted = `Expected a call of read with other, valid arguments after ${refusal}, but`;
  it.each<[why: string, calls: TrialToolCall[], score: number, message: string]>([
    [
      "an agent that gives up",
      [call(1, {}, "validation")],
      0,
      `${wanted} no tool was called after it; the agent answered "Sorry."`,
    ],
    [
      "another tool",
      [call(1, {}, "validation"), call(2, { path: "a" }, undefined, "glob")],
      0,
      `${wanted} only 1 other call came after it: glob; the agent answered "Sorry."`,
    ],
    [
      "the same arguments again",
      [call(1, {}, "validation"), call(2, {}, "validation")],
      0,
      `${wanted} it was called again in turn 2 with the same arguments (and 1 more)`,
    ],
    [
      "the same arguments, even where they are valid now",
      [call(1, {}, "validation"), call(2, {})],
      0,
      `${wanted} it was called again in turn 2 with the same arguments`,
    ],
    [
      "other arguments that are wrong too",
      [call(1, {}, "validation"), call(2, { p: 1 }, "validation"), call(3, {}, "validation")],
      0,
      `${wanted} read({p: 1}) failed in turn 2 with a validation error: "validation!" (and 2 more)`,
    ],
    [
      "a valid call of the same turn, which knew nothing of the error",
      [call(1, {}, "validation"), call(1, { path: "a" })],
      0,
      `${wanted} no tool was called after it; the agent answered "Sorry."`,
    ],
    [
      "an error in the last turn after one that was put right",
      [call(1, {}, "validation"), call(2, { path: "a" }), call(3, { path: 1 }, "validation")],
      0.5,
      'Expected a call of read with other, valid arguments after read({path: 1}) failed in turn 3 with a validation error: "validation!", but no tool was called after it; the agent answered "Sorry."',
    ],
  ])("fails for %s", async (_, calls, score, message) => {
    expect(await evaluate(calls, "Sorry.")).toMatchObject({ data: { pass: false, score, message } });
  });

  it.each<[calls: TrialToolCall[], message: string]>([
    [[], "no tools were called"],
    [[call(1, {}, "validation", "reed")], 'it was never called; called: reed; the nearest name is "reed"'],
    [[call(1, {})], "the arguments of its only call were valid"],
    [[call(1, {}), call(2, {}, "runtime")], "the arguments of its 2 calls were valid"],
  ])("fails where nothing was refused: %j", async (calls, why) => {
    const message = `Expected a validation error of read that is corrected, but ${why}`;
    expect(await evaluate(calls)).toMatchObject({ data: { pass: false, score: 0, message } });
  });

  it("shows the call that was refused and all that came after it", async () => {
    expect(await evaluate([call(1, {}, "validation"), call(2, {}, "logical", "glob")])).toMatchObject({
      data: { actual: { refused: { turn: 1, tool: "read" }, after: [{ turn: 2, tool: "glob" }] } },
    });
  });

  it("cannot be evaluated without recorded calls", async () => {
    expect(await evaluate(undefined)).toMatchObject({ success: false, error: { code: "ASSERTION_EVAL_ERROR" } });
  });

  it("needs its tool", () => {
    expect(fixesArguments.references?.({ tool: "read" })).toEqual([
      { kind: "tool", name: "read", needed: true, path: ["tool"] },
    ]);
    expect(fixesArguments.options.safeParse({}).success).toBe(false);
  });
});
