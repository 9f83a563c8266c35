import { describe, expect, it } from "vitest";
import { createManualClock } from "../../__fixtures__/manual-clock.js";
import { simulatedTool } from "../../__fixtures__/simulated-tool.js";
import { parseWith } from "../../schema-parts/parse-with.js";
import type { JsonObject } from "../../values/json.js";
import { ToolRunner } from "../tool-runner.js";
import { toolSchema } from "../tool-schema.js";
import { renderSimulatedTool } from "./render-simulated-tool.js";
import type { ToolInvocation } from "../tool-runtime.js";

function toolsOf(
  tools: readonly unknown[],
  { state = {}, scope = {} }: { state?: JsonObject; scope?: JsonObject } = {},
) {
  const clock = createManualClock();
  const rendered = tools.map((tool) => {
    const one = renderSimulatedTool(simulatedTool(tool), scope);
    if (!one.success) throw new Error(one.error);
    return one.data;
  });
  const settings = { style: "plain" as const, recommendations: null, timeoutMs: 60_000, clock, scope, state };
  const runtime = new ToolRunner({ ...settings, tools: rendered });
  const { signal } = new AbortController();
  const call = (tool: string, args: unknown = {}): Promise<ToolInvocation> =>
    runtime.invoke({ id: "c1", tool, args }, { signal });
  const contents = async (tool: string, count: number): Promise<string[]> => {
    const found: string[] = [];
    for (let index = 0; index < count; index += 1) found.push((await call(tool)).content);
    return found;
  };
  return { call, contents, clock };
}

function problemsOf(tool: unknown): string[] {
  const parsed = parseWith(toolSchema, tool);
  return parsed.success ? [] : parsed.error.map(({ path, message, hint }) => `${path.join(".")}: ${message} | ${hint}`);
}

describe("sequence", () => {
  it.each([
    ["a response, its last answer going on", { responses: [{ sequence: [{ return: "a" }, { return: "b" }] }] }, "abbb"],
    ["the default", { default: { sequence: [{ return: "a" }, { return: "b" }] } }, "abbb"],
    [
      "a response that `times` ends",
      { responses: [{ times: 3, sequence: [{ return: "a" }, { return: "b" }] }], default: { return: "d" } },
      "abbd",
    ],
    [
      "two responses, each on its own",
      {
        responses: [
          { call: 2, return: "x" },
          { sequence: [{ return: "a" }, { error: { message: "b" } }, { return: "c" }] },
        ],
      },
      "axbc",
    ],
  ])("answers one after the other from %s", async (_name, tool, expected) => {
    const { contents } = toolsOf([{ name: "t", ...tool }]);
    expect((await contents("t", 4)).join("")).toBe(expected);
  });

  it("takes as long as the answer says, else as the response says", async () => {
    const sequence = [{ return: 1 }, { return: 2, delay: "5s" }];
    const { call, clock } = toolsOf([{ name: "t", responses: [{ delay: "1s", sequence }] }]);
    const [first, second] = [call("t"), call("t")];
    clock.advance(1_000);
    expect((await first).content).toBe("1");
    clock.advance(4_000);
    expect((await second).durationMs).toBe(5_000);
  });

  it.each([
    [
      { responses: [{ times: 1, sequence: [{ return: 1 }, { return: 2 }] }] },
      /responses.0.times: The sequence has 2 answers, but the response is used once/,
    ],
    [
      { responses: [{ call: 3, sequence: [{ return: 1 }, { return: 2 }] }] },
      /responses.0.call: The sequence has 2 answers/,
    ],
    [{ responses: [{ sequence: [{ return: 1 }], return: 1 }] }, /either `return` or `sequence`, not both/],
    [{ responses: [{ sequence: [{ return: 1 }, {}] }] }, /responses.0.sequence.1: An answer needs `return` or `error`/],
    [
      { default: { set: { a: 1 }, sequence: [{ return: 1 }] } },
      /default.set: "set" next to a `sequence` belongs to none/,
    ],
    [{ responses: [{ hang: true, error: { message: "x" } }] }, /either `error` or `hang`, not both/],
    [{ responses: [{ set: { "a..b": 1 }, return: 1 }] }, /"a..b" is not a path in the state/],
    [{ responses: [{ state: { a: { $regx: "x" } }, return: 1 }] }, /responses.0.state.a.\$regx/],
  ])("refuses %j", (tool, message) => {
    expect(problemsOf({ name: "t", ...tool }).join("\n")).toMatch(message);
  });
});

describe("hang", () => {
  it("never answers, so that the deadline of the tool ends it as an aborted error", async () => {
    const { call, clock } = toolsOf([
      { name: "t", timeout: "2s", responses: [{ times: 1, hang: true }], default: { return: "up" } },
    ]);
    const called = call("t");
    clock.advance(1_999);
    expect(await Promise.race([called, Promise.resolve("waiting")])).toBe("waiting");
    clock.advance(1);
    expect(await called).toMatchObject({
      outcome: { ok: false, failure: { errorType: "aborted", retryable: false, message: /within 2 s/ } },
      durationMs: 2_000,
    });
    expect((await call("t")).content).toBe("up");
  });
});

describe("state", () => {
  const order = {
    name: "order",
    responses: [
      { when: { id: "{{state.open}}" }, return: "it is {{state.orders.A.status}}" },
      { state: { "orders.{{args.id}}": { $absent: true } }, error: { message: "no such order" } },
      { state: { "orders.{{args.id}}.status": "{{lost}}" }, return: "lost" },
    ],
    default: { return: "{{state.orders}}" },
  };
  const cancel = {
    name: "cancel",
    responses: [
      { state: { "orders.{{args.id}}.status": "cancelled" }, error: { type: "logical", message: "already cancelled" } },
      {
        set: {
          "orders.{{args.id}}.status": "cancelled",
          "orders.{{args.id}}.before": "{{state.orders.A.status}}",
          open: null,
        },
        return: { status: "{{state.orders.A.status}}" },
      },
    ],
  };
  const state = { open: "A", orders: { A: { status: "open" }, "B.1": { status: "gone" } } };

  it("is shared by the tools, read by conditions and answers, and changed by `set`", async () => {
    const { call } = toolsOf([order, cancel], { state, scope: { lost: "gone" } });
    expect((await call("order", { id: "A" })).content).toBe("it is open");
    expect((await call("order", { id: "C" })).content).toBe("no such order");
    expect((await call("order", { id: "B.1" })).content).toBe("lost");
    const cancelled = await call("cancel", { id: "A" });
    // The answer is filled in after the change, the values of the change before it.
    expect(cancelled.outcome).toEqual({ ok: true, value: { status: "cancelled" } });
    expect(cancelled.stateChanges).toEqual([
      { path: "orders.A.status", from: "open", to: "cancelled" },
      { path: "orders.A.before", to: "open" },
      { path: "open", from: "A", to: null },
    ]);
    expect((await call("cancel", { id: "A" })).content).toBe("already cancelled");
    expect((await call("order", { id: "A" })).outcome).toMatchObject({
      value: { A: { status: "cancelled", before: "open" } },
    });
    // The next trial begins where the config says.
    expect((await toolsOf([order], { state, scope: { lost: "" } }).call("order", { id: "A" })).content).toBe(
      "it is open",
    );
  });

  it("is no change where the value was the same, and none on the record", async () => {
    const { call } = toolsOf([{ name: "t", default: { set: { a: 1 }, return: 1 } }], { state: { a: 1 } });
    expect(await call("t")).not.toHaveProperty("stateChanges");
  });

  it("is changed by a tool that fails, and by one that never answers", async () => {
    const { call, clock } = toolsOf(
      [
        { name: "fails", default: { set: { paid: 1 }, error: { message: "connection lost" } } },
        { name: "hangs", timeout: "1s", default: { set: { paid: 2 }, hang: true } },
        { name: "slow", timeout: "1s", default: { delay: "2s", set: { paid: 3 }, return: 1 } },
        { name: "look", default: { return: "{{state.paid}}" } },
      ],
      { state: { paid: 0 } },
    );
    expect((await call("fails")).stateChanges).toEqual([{ path: "paid", from: 0, to: 1 }]);
    const hanging = call("hangs");
    clock.advance(1_000);
    expect(await hanging).toMatchObject({ outcome: { ok: false }, stateChanges: [{ path: "paid", from: 1, to: 2 }] });
    const slow = call("slow");
    clock.advance(1_000);
    expect(await slow).not.toHaveProperty("stateChanges");
    clock.advance(5_000);
    expect((await call("look")).content).toBe("2");
  });

  it("ends the trial where an answer needs what it does not hold", async () => {
    const { call } = toolsOf([{ name: "t", default: { return: "{{state.a.b}}" } }], { state: { a: 1 } });
    expect(await call("t")).toMatchObject({
      isFixtureBroken: true,
      content: 'The answer of the simulated tool "t" needs {{state.a.b}}, which the state does not hold',
    });
  });

  it("tells the model of an argument that `set` needs and the call lacks", async () => {
    const { call } = toolsOf([{ name: "t", default: { set: { a: "{{args.x}}" }, return: 1 } }]);
    expect(await call("t")).toMatchObject({
      isFixtureBroken: false,
      outcome: { failure: { errorType: "logical", message: "The call has no value for {{args.x}}" } },
    });
  });

  it("refuses a condition that names neither the state nor what the case knows", () => {
    const tool = { name: "t", responses: [{ when: { a: "{{state.x}}", b: "{{nobody}}" }, return: 1 }] };
    expect(renderSimulatedTool(simulatedTool(tool), {})).toEqual({
      success: false,
      error: "response 1: unknown placeholder {{nobody}}",
    });
  });
});
