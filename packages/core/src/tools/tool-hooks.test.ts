import { expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import { ToolRunner } from "./tool-runner.js";
import { faultsSchema } from "./faults/fault.js";
import type { RunnableTool } from "./tool-config.js";
import type { HandlerOutcome } from "./tool-handler.js";
import type { CompleteOutcome } from "./tool-hooks.js";

type Answer = HandlerOutcome | null;

/** A tool that answers as told, with hooks around it that write down what they are asked. */
function hooked({ tool, before = null, after = null }: { tool: HandlerOutcome; before?: Answer; after?: Answer }) {
  const asked: (string | CompleteOutcome)[] = [];
  const pay: RunnableTool = {
    kind: "open",
    name: "pay",
    parameters: { type: "object", properties: { amount: { type: "number" } } },
    attributes: { readonly: false, no_effect: false },
    recommendations: {},
    timeoutMs: null,
    createHandler: () => ({
      async execute() {
        asked.push("tool");
        return tool;
      },
    }),
  };
  const faults = faultsSchema.parse([{ tool: "pay", kind: "latency", delay: "1ms", call: 9 }]).list;
  const runtime = new ToolRunner({
    tools: [pay],
    style: "envelope",
    recommendations: null,
    timeoutMs: 60_000,
    clock: createManualClock(),
    scope: {},
    faults: { list: faults, seed: 1 },
    hooks: {
      async before() {
        asked.push("before");
        return before === null ? null : { plugin: "guard", outcome: before, isDenial: !before.ok };
      },
      async after(_call, outcome) {
        asked.push(outcome);
        return after;
      },
    },
  });
  const { signal } = new AbortController();
  const call = (args: unknown, name = "pay") => runtime.invoke({ id: "c", tool: name, args }, { signal });
  return { asked, call, reports: () => runtime.faultReports() };
}

const fine: HandlerOutcome = { ok: true, value: 1 };
const failed: HandlerOutcome = { ok: false, failure: { errorType: "runtime", message: "down" } };

it("are asked around the tool, with its failure complete", async () => {
  const { asked, call } = hooked({ tool: failed });
  const failure = { errorType: "runtime", message: "down", retryable: true };
  expect((await call({ amount: 1 })).outcome).toEqual({ ok: false, failure });
  expect(asked).toEqual(["before", "tool", { ok: false, failure }]);
});

it("come before the tool and its faults, which a call that is decided does not reach", async () => {
  const { asked, call, reports } = hooked({ tool: fine, before: failed });
  const { outcome, content } = await call({});
  expect(outcome).toEqual({ ok: false, failure: { errorType: "runtime", message: "down", retryable: true } });
  expect(JSON.parse(content)).toMatchObject({ error: "down", errorType: "runtime" });
  expect([asked, reports().map(({ calls }) => calls)]).toEqual([["before"], [0]]);
});

it.each<[HandlerOutcome, object]>([
  [
    { ok: true, value: 2 },
    { ok: true, value: 2 },
  ],
  [failed, { ok: false, failure: { errorType: "runtime", message: "down", retryable: true } }],
  [
    { ok: true, value: { ok: false, error: "closed" } },
    { ok: false, failure: { errorType: "logical", message: "closed", retryable: true } },
  ],
])("replace what the tool said: %j", async (after, expected) => {
  const { call } = hooked({ tool: fine, after });
  expect((await call({})).outcome).toEqual(expected);
});

it("are not asked of calls that reach no tool, nor of a fixture that is broken", async () => {
  const refused = hooked({ tool: fine, before: fine, after: fine });
  await refused.call({ amount: "much" });
  await refused.call({}, "no_such_tool");
  expect(refused.asked).toEqual([]);
  const broken = hooked({ tool: { ...failed, broken: true }, after: fine });
  expect(await broken.call({})).toMatchObject({ isFixtureBroken: true, outcome: { ok: false } });
  expect(broken.asked).toEqual(["before", "tool"]);
});

it("let calls side by side go on in the order in which they were made, whichever is decided first", async () => {
  const [reached, decide] = [Array<unknown>(), new Map<unknown, () => void>()];
  const look: RunnableTool = {
    kind: "open",
    name: "look",
    parameters: {},
    attributes: { readonly: true, no_effect: true },
    recommendations: {},
    timeoutMs: null,
    createHandler: () => ({
      async execute(args) {
        reached.push(args);
        return fine;
      },
    }),
  };
  const runtime = new ToolRunner({
    tools: [look],
    style: "envelope",
    recommendations: null,
    timeoutMs: 60_000,
    clock: createManualClock(),
    scope: {},
    hooks: {
      before: ({ id }) =>
        new Promise((resolve) => {
          decide.set(id, () => {
            resolve(id === "b" ? { plugin: "guard", outcome: failed, isDenial: true } : null);
          });
        }),
      after: () => Promise.resolve(null),
    },
  });
  const { signal } = new AbortController();
  const ids = ["a", "b", "c"];
  const calls = ids.map((id) => runtime.invoke({ id, tool: "look", args: { id } }, { signal }));
  for (const id of ids.toReversed()) decide.get(id)?.();
  expect((await Promise.all(calls)).map(({ outcome }) => outcome.ok)).toEqual([true, false, true]);
  expect(reached).toEqual([{ id: "a" }, { id: "c" }]);
});
