import { expect, it } from "vitest";
import { createManualClock } from "../__fixtures__/manual-clock.js";
import type { Matcher } from "../matchers/matcher.js";
import { everythingAllowed, type PermissionSettings } from "./permissions/permission-gate.js";
import { ToolRunner } from "./tool-runner.js";

const { permissions } = everythingAllowed;
const slow: Matcher = {
  source: { $regex: "(a+)+$" },
  match: () => {
    throw new Error("took too long");
  },
  describe: () => "matching /(a+)+$/",
};

function runnerOf(settings: PermissionSettings | null, told: { description?: string; prompt?: string } = {}) {
  return new ToolRunner({
    tools: [
      {
        kind: "simulated",
        name: "pay",
        ...told,
        parameters: { type: "object", properties: { id: { type: "number" } } },
        attributes: { readonly: false, no_effect: false },
        recommendations: {},
        timeoutMs: null,
        responses: [],
        default: [{ delayMs: 0, set: [], answer: { return: "paid" } }],
      },
    ],
    style: "envelope",
    recommendations: null,
    timeoutMs: 5,
    clock: createManualClock(),
    scope: {},
    permissions: settings,
  });
}

function callWith(settings: PermissionSettings | null, args: unknown = {}) {
  const runner = runnerOf(settings);
  return runner.invoke({ id: "c", tool: "pay", args }, { signal: new AbortController().signal });
}

it("never runs a tool whose permission cannot be decided", async () => {
  const deny = [{ tool: "pay", args: slow }];
  expect(await callWith({ permissions: { ...permissions, deny }, approvals: [] })).toMatchObject({
    isFixtureBroken: true,
    outcome: { failure: { message: 'The permissions of a call of "pay" cannot be decided: took too long' } },
  });
});

it("asks nobody about arguments that break the schema", async () => {
  const settings = { permissions: { ...permissions, mode: "approval" as const }, approvals: [] };
  const call = await callWith(settings, { id: "x" });
  expect(call).toMatchObject({ outcome: { failure: { errorType: "validation" } } });
  expect(call.permission).toBeUndefined();
  expect((await callWith(settings)).permission).toMatchObject({ decision: "pending", id: "c" });
});

it.each([
  [{ description: "Pays" }, "Pays"],
  [{ description: "Pays", prompt: "Ask first." }, "Pays\n\nAsk first."],
  [{ prompt: "Ask first." }, "Ask first."],
  [{}, undefined],
])("describes a tool with %j as %j", (told, description) => {
  const { definitions } = runnerOf(null, told);
  expect(definitions[0]?.description).toBe(description);
});

it("says nothing of permissions where there are none", async () => {
  const call = await callWith(null);
  expect(call).toMatchObject({ outcome: { ok: true, value: "paid" } });
  expect(call.permission).toBeUndefined();
});
