import { expect, it } from "vitest";
import type { ToolInvocation } from "../tools/tool-runtime.js";
import type { RunEventBody } from "./run-event.js";
import { createSessionEvents } from "./open-session.js";

const failed: ToolInvocation = {
  call: { id: "c1", tool: "pay", args: {} },
  outcome: { ok: false, failure: { errorType: "logical", message: "no", retryable: false } },
  events: [],
  isFixtureBroken: false,
  content: "no",
  startedAt: 0,
  durationMs: 1,
};
const denied = { plugin: "guard", hook: "preToolUse", decision: "deny", reason: "no" } as const;

it.each<[string, Partial<ToolInvocation>]>([
  ["FAILED", {}],
  ["FAILED", { hook: { ...denied, hook: "postToolUse", decision: "replace" } }],
  ["FAILED", { resumed: "answered_before" }],
  ["DENIED", { hook: denied, permission: { decision: "denied", by: "hook", rule: "guard" } }],
  ["DENIED", { permission: { decision: "denied", by: "mode", rule: "readonly" } }],
  ["FAILED", { permission: { decision: "approved", by: "approval", id: "c1" } }],
  ["SEALED", { resumed: "sealed" }],
])("tool:error has the state %s of the call", (state, more) => {
  const events: RunEventBody[] = [];
  createSessionEvents((event) => events.push(event), { suite: "s", caseId: "s/t@m", trial: 1 }).toolEnded({
    ...failed,
    ...more,
  });
  expect(events.filter(({ type }) => type === "tool:error")).toMatchObject([{ tool: "pay", call: { state } }]);
});

it("a call that waits for an approval has not failed", () => {
  const events: RunEventBody[] = [];
  const asked = { by: "mode", rule: "approval" } as const;
  createSessionEvents((event) => events.push(event), { suite: "s", caseId: "s/t@m", trial: 1 }).toolEnded({
    ...failed,
    permission: { decision: "pending", by: "mode", id: "c1", asked },
  });
  expect(events).toMatchObject([
    { channel: "control", type: "permission:required", permissionId: "c1", ...asked },
    { type: "tool:end", ok: false },
  ]);
});
