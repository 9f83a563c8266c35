import { describe, expect, it } from "vitest";
import type { ToolErrorType } from "../../transcript/tool-failure.js";
import type { TrialToolCall } from "../../transcript/trial.js";
import type { AssertionContext } from "../define-assertion.js";
import { recoversFrom } from "./recovers-from.js";

const call = (turn: number | undefined, tool: string, args: unknown, type?: ToolErrorType): TrialToolCall => ({
  tool,
  args,
  ...(turn === undefined ? {} : { turn }),
  ...(type === undefined ? { result: "ok" } : { error: { errorType: type, message: "down", retryable: true } }),
});
const get = (turn: number | undefined, type?: ToolErrorType, id = 1) => call(turn, "get", { id }, type);

const evaluate = (toolCalls: readonly TrialToolCall[] | undefined, written: object = {}, output = "Sorry.") =>
  recoversFrom.evaluate(
    recoversFrom.options.parse({ tool: "get", ...written }),
    toolCalls === undefined ? {} : { toolCalls, output },
    {} as AssertionContext,
  );

describe("recovers_from", () => {
  const fell = 'get({id: 1}) failed in turn 1 with a runtime error: "down"';
  it.each<[why: string, calls: TrialToolCall[], written: object, message: string]>([
    [
      "another try",
      [get(1, "runtime"), get(2)],
      {},
      `The agent recovered: get({id: 1}) succeeded in turn 2 after ${fell}`,
    ],
    [
      "a tool that fails twice",
      [get(1, "runtime"), get(2, "logical"), get(3)],
      {},
      `The agent recovered: get({id: 1}) succeeded in turn 3 after ${fell} (and 1 more)`,
    ],
    [
      "other arguments",
      [get(1, "runtime"), get(2, undefined, 2)],
      {},
      `The agent recovered: get({id: 2}) succeeded in turn 2 after ${fell}`,
    ],
    [
      "another tool",
      [get(1, "runtime"), call(2, "find_all", { q: "x" })],
      { via: ["look", "find_*"] },
      `The agent recovered: find_all({q: "x"}) succeeded in turn 2 after ${fell}`,
    ],
    [
      "a try within the calls that it may take",
      [get(1, "runtime"), call(2, "x", {}), get(3)],
      { within: 2 },
      `The agent recovered: get({id: 1}) succeeded in turn 3 after ${fell}`,
    ],
    [
      "calls of the failing turn, which do not count",
      [get(1, "runtime"), call(1, "x", {}), call(1, "y", {}), get(2)],
      { within: 1 },
      `The agent recovered: get({id: 1}) succeeded in turn 2 after ${fell}`,
    ],
    [
      "errors of the type that is meant only",
      [get(1, "runtime"), get(2), get(3, "logical")],
      { error_type: "runtime" },
      `The agent recovered: get({id: 1}) succeeded in turn 2 after ${fell}`,
    ],
    [
      "calls with the arguments that are meant only",
      [get(1, "runtime"), get(2), get(3, "logical", 2)],
      { args: { id: 1 } },
      `The agent recovered: get({id: 1}) succeeded in turn 2 after ${fell}`,
    ],
    [
      "turns that are not known",
      [get(undefined, "runtime"), get(undefined)],
      {},
      'The agent recovered: get({id: 1}) succeeded after get({id: 1}) failed with a runtime error: "down"',
    ],
  ])("passes for %s", async (_, calls, written, message) => {
    expect(await evaluate(calls, written)).toEqual({ success: true, data: { pass: true, score: 1, message } });
  });

  const wanted = `Expected a successful call of get after ${fell}, but`;
  it.each<[why: string, calls: TrialToolCall[], written: object, score: number, message: string]>([
    [
      "an agent that gives up politely",
      [get(1, "runtime")],
      {},
      0,
      `${wanted} no tool was called after it; the agent answered "Sorry."`,
    ],
    [
      "an agent that does other things",
      [get(1, "runtime"), call(2, "x", {}), call(2, "x", { a: 1 })],
      {},
      0,
      `${wanted} only 2 other calls came after it: x (2 times); the agent answered "Sorry."`,
    ],
    [
      "a second error",
      [get(1, "runtime"), get(2, "aborted")],
      {},
      0,
      `${wanted} get({id: 1}) failed in turn 2 with an aborted error: "down", the only later call (and 1 other error alike)`,
    ],
    [
      "another tool that fails too",
      [get(1, "runtime"), call(2, "find", {}, "logical"), call(3, "find", {}, "exception")],
      { via: "find" },
      0,
      `Expected a successful call of get or find after ${fell}, but find() failed in turn 3 with an exception error: "down", the last of 2 later calls`,
    ],
    [
      "too many calls",
      [get(1, "runtime"), call(2, "x", {}), call(3, "x", {}), get(4)],
      { within: 2 },
      0,
      `Expected a successful call of get within 2 calls after ${fell}, but get({id: 1}) succeeded in turn 4 only, 3 calls after it`,
    ],
    [
      "a parallel call that works, which is no recovery",
      [get(1, "runtime"), get(1)],
      {},
      0,
      `${wanted} no tool was called after it; the agent answered "Sorry."`,
    ],
    [
      "other arguments than are meant",
      [get(1, "runtime"), get(2, undefined, 2)],
      { args: { id: 1 } },
      0,
      `Expected a successful call of get({id: 1}) after ${fell}, but only 1 other call came after it: get; the agent answered "Sorry."`,
    ],
    [
      "an error in the last turn after one that was overcome",
      [get(1, "runtime"), get(2), get(3, "runtime")],
      {},
      0.5,
      'Expected a successful call of get after get({id: 1}) failed in turn 3 with a runtime error: "down", but no tool was called after it; the agent answered "Sorry."',
    ],
  ])("fails for %s", async (_, calls, written, score, message) => {
    expect(await evaluate(calls, written)).toMatchObject({ data: { pass: false, score, message } });
  });

  it.each<[calls: TrialToolCall[], written: object, message: string]>([
    [[], {}, "an error of get, but no tools were called"],
    [
      [call(1, "gett", {}, "runtime")],
      {},
      'an error of get, but it was never called; called: gett; the nearest name is "gett"',
    ],
    [[get(1)], {}, "an error of get, but its only call did not fail, so there was nothing to recover from"],
    [[get(1), get(2)], {}, "an error of get, but none of its 2 calls failed, so there was nothing to recover from"],
    [[get(1)], { args: { id: 2 } }, "an error of get({id: 2}), but it was never called with such arguments"],
    [
      [get(1, "runtime"), get(2)],
      { error_type: ["logical", "aborted"] },
      `a logical or aborted error of get, but it failed otherwise: ${fell}`,
    ],
  ])("fails where there was no such error: %j %j", async (calls, written, why) => {
    const message = `Expected recovery from ${why}`;
    expect(await evaluate(calls, written)).toMatchObject({ data: { pass: false, score: 0, message } });
  });

  it("says nothing of an answer that is not there", async () => {
    const message = `${wanted} no tool was called after it`;
    expect(await evaluate([get(1, "runtime")], {}, " ")).toMatchObject({ data: { message } });
  });

  it("shows what was wanted, the call that failed and all that came after it", async () => {
    expect(await evaluate([get(1, "runtime"), call(2, "x", {})], { args: { id: 1 }, via: "y" })).toMatchObject({
      data: {
        expected: { recovery: { tool: "get", args: { id: 1 } }, via: "y" },
        actual: {
          failed: { turn: 1, tool: "get", args: { id: 1 }, error: { errorType: "runtime", retryable: true } },
          after: [{ turn: 2, tool: "x" }],
        },
      },
    });
  });

  it("cannot be evaluated without recorded calls", async () => {
    expect(await evaluate(undefined)).toMatchObject({ success: false, error: { code: "ASSERTION_EVAL_ERROR" } });
  });

  it("needs its tool, not those by which it may get on", () => {
    expect(recoversFrom.references?.({ tool: "get", via: ["find", "x*"] })).toEqual([
      { kind: "tool", name: "get", needed: true, path: ["tool"] },
      { kind: "tool", name: "find", needed: false, path: ["via", 0] },
      { kind: "tool", name: "x*", needed: false, isGlob: true, path: ["via", 1] },
    ]);
  });

  it.each([{}, { tool: "get", within: 0 }, { tool: "get", error_type: "timeout" }, { tool: "get", via: [] }])(
    "refuses %j",
    (written) => {
      expect(recoversFrom.options.safeParse(written).success).toBe(false);
    },
  );
});
