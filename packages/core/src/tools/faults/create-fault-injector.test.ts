import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultyTools, orderTool } from "../../__fixtures__/faulty-tools.js";
import { createManualClock } from "../../__fixtures__/manual-clock.js";
import type { Clock } from "../../values/clock.js";
import type { ToolHandler } from "../tool-handler.js";
import { createTrialState } from "../trial-state.js";
import { createFaultInjector } from "./create-fault-injector.js";
import { faultsSchema } from "./fault.js";

describe("when a fault fires", () => {
  const [a, b] = ["a", "b"];
  const none = undefined;

  it.each([
    ["on every call", [{ id: a }], [a, a, a, a]],
    ["on the n-th", [{ id: a, call: 2 }], [none, a, none, none]],
    ["on the n-th and those that follow", [{ id: a, call: 2, times: 2 }], [none, a, a, none]],
    ["so many times", [{ id: a, times: 2 }], [a, a, none, none]],
    ["the first that is due", [{ id: a, times: 1 }, { id: b }], [a, b, b, b]],
    [
      "each on its call",
      [
        { id: a, call: 3 },
        { id: b, call: 1 },
      ],
      [b, none, a, none],
    ],
    ["always, at a rate of 1", [{ id: a, rate: 1, times: 3 }], [a, a, a, none]],
  ])("%s", async (_name, faults, expected) => {
    const { fired } = faultyTools(faults.map((fault) => ({ tool: "order", kind: "error", ...fault })));
    expect(await fired(4)).toEqual(expected);
  });

  it("counts the calls of all tools that a glob names, and leaves the others alone", async () => {
    const tools = ["get_a", "get_b", "put"].map((name) => ({ name, default: { return: name } }));
    const { call } = faultyTools([{ tool: "get_*", kind: "error", call: 2 }], { tools });
    const met: boolean[] = [];
    for (const tool of ["get_a", "put", "put", "get_b", "get_a"]) met.push((await call(tool)).outcome.ok);
    expect(met).toEqual([true, true, true, false, true]);
  });

  it("does not count calls that never reach the tool", async () => {
    const strict = { ...orderTool, parameters: { type: "object", required: ["id"], properties: { id: {} } } };
    const { call, reports } = faultyTools([{ tool: "order", kind: "error" }], { tools: [strict] });
    expect((await call("order", {})).outcome).toMatchObject({ failure: { errorType: "validation" } });
    expect(reports()).toMatchObject([{ calls: 0, fired: 0 }]);
  });

  it("is the same for the same seed, whatever other faults there are before it", async () => {
    const rate = fc.double({ min: 0.05, max: 0.95, noNaN: true });
    await fc.assert(
      fc.asyncProperty(fc.nat(), rate, async (seed, chance) => {
        const fault = { id: "f", tool: "order", kind: "error", rate: chance };
        const once = await faultyTools([fault], { seed }).fired(20);
        expect(await faultyTools([fault], { seed }).fired(20)).toEqual(once);
        const behind = await faultyTools([{ tool: "order", kind: "hang", call: 21 }, fault], { seed }).fired(20);
        expect(behind).toEqual(once);
      }),
      { numRuns: 30 },
    );
  });

  it("comes near its rate, and differs from seed to seed", async () => {
    const fault = { tool: "order", kind: "error", rate: 0.3 };
    const runs = await Promise.all([1, 2, 3, 4].map((seed) => faultyTools([fault], { seed }).fired(500)));
    for (const run of runs) {
      const share = run.filter((id) => id !== undefined).length / run.length;
      expect(share).toBeGreaterThan(0.23);
      expect(share).toBeLessThan(0.37);
    }
    expect(new Set(runs.map((run) => JSON.stringify(run))).size).toBe(4);
  });
});

describe("a tool of any source", () => {
  const [fault] = faultsSchema.parse([{ tool: "t", kind: "latency", delay: "2s" }]).list;
  const context = (signal: AbortSignal, clock: Clock) => ({
    signal,
    clock,
    state: createTrialState({}),
    audit: {},
    emit: () => {},
  });

  it("is left alone once nobody waits for it any longer", async () => {
    const [clock, controller] = [createManualClock(), new AbortController()];
    const runs: unknown[] = [];
    const handler: ToolHandler = {
      execute: (args) => {
        runs.push(args);
        return Promise.resolve({ ok: true, value: 1 });
      },
    };
    const wrapped = createFaultInjector(fault === undefined ? [] : [fault], 1, {}).wrap("t", handler);
    const stopped = wrapped.execute(1, context(controller.signal, clock));
    controller.abort();
    await stopped;
    clock.advance(5_000);
    expect(runs).toEqual([]);
    const waited = wrapped.execute(2, context(new AbortController().signal, clock));
    clock.advance(2_000);
    expect(await waited).toEqual({ ok: true, value: 1 });
    expect(runs).toEqual([2]);
  });

  it("throws through a fault as without one, and is run twice all the same", async () => {
    let runs = 0;
    const handler: ToolHandler = {
      execute: () => {
        runs += 1;
        return Promise.reject(new Error(`down ${runs}`));
      },
    };
    const faults = faultsSchema.parse([
      { tool: "t", kind: "duplicate", call: 1 },
      { tool: "t", kind: "truncate", call: 2 },
    ]).list;
    const injector = createFaultInjector(faults, 1, {});
    const wrapped = injector.wrap("t", handler);
    const { signal } = new AbortController();
    const first = context(signal, createManualClock());
    await expect(wrapped.execute(1, first)).rejects.toThrow("down 2");
    expect(first.audit).toEqual({ fault: { id: "duplicate:t", kind: "duplicate", returned: "down 1" } });
    await expect(wrapped.execute(1, context(signal, createManualClock()))).rejects.toThrow("down 3");
    expect(injector.reports().map(({ fired, missed }) => [fired, missed])).toEqual([
      [1, null],
      [0, "the tool failed by itself on call 2"],
    ]);
  });

  it("is handed on as it is where no fault names it", () => {
    const handler: ToolHandler = { execute: () => Promise.resolve({ ok: true, value: 1 }) };
    expect(createFaultInjector(fault === undefined ? [] : [fault], 1, {}).wrap("u", handler)).toBe(handler);
  });
});
