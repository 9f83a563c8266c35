import { describe, expect, it } from "vitest";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { AssertionContext } from "../define-assertion.js";
import { noRedundantCalls } from "./no-redundant-calls.js";

const ok = (tool: string, args: unknown, turn?: number): TrialToolCall =>
  turn === undefined ? { tool, args, result: "ok" } : { tool, args, turn, result: "ok" };
const failed = (tool: string, args: unknown, turn: number): TrialToolCall => ({
  tool,
  args,
  turn,
  error: { errorType: "runtime", message: "down", retryable: true },
});

const evaluate = (toolCalls: readonly TrialToolCall[] | undefined, written: unknown = {}) =>
  noRedundantCalls.evaluate(
    noRedundantCalls.options.parse(written),
    toolCalls === undefined ? {} : { toolCalls },
    {} as AssertionContext,
  );

describe("no_redundant_calls", () => {
  it.each<[why: string, calls: TrialToolCall[], written: object]>([
    ["no call", [], {}],
    ["other arguments", [ok("get", { id: 1 }, 1), ok("get", { id: "1" }, 2), ok("get", { id: [1, 2] }, 3)], {}],
    ["another order in a list", [ok("get", { ids: [1, 2] }, 1), ok("get", { ids: [2, 1] }, 2)], {}],
    ["another tool", [ok("get", { id: 1 }, 1), ok("read", { id: 1 }, 2)], {}],
    [
      "a failed call that is tried again",
      [failed("get", { id: 1 }, 1), failed("get", { id: 1 }, 2), ok("get", { id: 1 }, 3)],
      {},
    ],
    ["a tool that is not meant", [ok("get", {}, 1), ok("get", {}, 2)], { tool: ["pay", "read_*"] }],
    [
      "a call that may have another outcome by now",
      [ok("get", {}, 1), ok("set_name", {}, 2), ok("get", {}, 3)],
      { unless_after: "set_*" },
    ],
  ])("passes for %s", async (_, calls, written) => {
    expect(await evaluate(calls, written)).toMatchObject({ data: { pass: true, score: 1 } });
  });

  it.each<[why: string, calls: TrialToolCall[], written: object, message: string]>([
    [
      "the same call again",
      [ok("get", { a: 1, b: { c: 2, d: 3 } }, 1), ok("x", {}, 2), ok("get", { b: { d: 3, c: 2 }, a: 1 }, 3)],
      {},
      "Expected no redundant call, but get({b: {d: 3, c: 2}, a: 1}) was made again in turn 3 after it had succeeded in turn 1",
    ],
    [
      "the same call twice in one turn, even if the first fails",
      [failed("get", { id: 1 }, 1), ok("get", { id: 1 }, 1)],
      {},
      "Expected no redundant call, but get({id: 1}) was made twice in turn 1",
    ],
    [
      "turns that are not known",
      [ok("get", {}), ok("get", undefined), ok("get", {})],
      { tool: "get" },
      "Expected no redundant call of get, but get() was made again after it had succeeded (and 1 more)",
    ],
    [
      "a change that failed",
      [ok("get", {}, 1), failed("set", {}, 2), ok("get", {}, 3)],
      { unless_after: ["set"] },
      "Expected no redundant call, but get() was made again in turn 3 after it had succeeded in turn 1",
    ],
    [
      "a repeat after the change was seen",
      [ok("get", {}, 1), ok("set", {}, 2), ok("get", {}, 3), ok("get", {}, 4)],
      { unless_after: "set" },
      "Expected no redundant call, but get() was made again in turn 4 after it had succeeded in turn 3",
    ],
    [
      "a change that came too late",
      [ok("get", {}, 1), ok("get", {}, 2), ok("set", {}, 3)],
      { unless_after: "set" },
      "Expected no redundant call, but get() was made again in turn 2 after it had succeeded in turn 1",
    ],
    [
      "more than are tolerated",
      [ok("get", {}, 1), ok("get", {}, 2), ok("get", {}, 3)],
      { max: 1 },
      "Expected at most 1 redundant call, but get() was made again in turn 2 after it had succeeded in turn 1 (and 1 more)",
    ],
  ])("fails for %s", async (_, calls, written, message) => {
    expect(await evaluate(calls, written)).toMatchObject({ data: { pass: false, score: 0, message } });
  });

  it("tolerates as many as it is told, and says which", async () => {
    const calls = [ok("get", {}, 1), ok("get", {}, 2)];
    expect(await evaluate(calls, { max: 1 })).toEqual({
      success: true,
      data: {
        pass: true,
        score: 1,
        message:
          "The redundant calls are no more than 1: get() was made again in turn 2 after it had succeeded in turn 1",
      },
    });
  });

  it("shows both calls of each pair, the first of which is the last before the other", async () => {
    expect(await evaluate([1, 2, 3].map((turn) => ok("get", {}, turn)))).toMatchObject({
      data: {
        actual: [
          { first: { turn: 1 }, again: { turn: 2 } },
          { first: { turn: 2 }, again: { turn: 3 } },
        ],
      },
    });
    expect(await evaluate([ok("get", { id: 1 }, 1), ok("get", { id: 1 }, 4)])).toMatchObject({
      data: { expected: 0, actual: [{ first: { turn: 1, args: { id: 1 } }, again: { turn: 4, args: { id: 1 } } }] },
    });
  });

  it("cannot be evaluated without recorded calls", async () => {
    expect(await evaluate(undefined)).toMatchObject({ success: false, error: { code: "ASSERTION_EVAL_ERROR" } });
  });

  it("refers to the tools that it names", () => {
    expect(noRedundantCalls.references?.({ tool: "get", max: 0, unless_after: ["set", "put_*"] })).toEqual([
      { kind: "tool", name: "get", needed: false, path: ["tool"] },
      { kind: "tool", name: "set", needed: false, path: ["unless_after", 0] },
      { kind: "tool", name: "put_*", needed: false, isGlob: true, path: ["unless_after", 1] },
    ]);
  });
});
