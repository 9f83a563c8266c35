import { expect, it } from "vitest";
import { evaluateWritten } from "../../__fixtures__/evaluate-written.js";
import type { PermissionDecision } from "../../transcript/permission-decision.js";
import type { TrialToolCall } from "../../transcript/trial.js";

const call = (id: number, permission?: PermissionDecision): TrialToolCall => ({
  tool: "pay",
  args: { id },
  ...(permission === undefined ? {} : { permission }),
});
const denied = call(1, { decision: "denied", by: "rule", rule: "deny: pay" });
const approved = call(2, { decision: "approved", by: "approval", approval: 3, id: "c" });
const pending = call(4, { decision: "pending", by: "mode", id: "c" });
const calls = [denied, approved, call(3), { tool: "look", args: {} }];

it.each<[written: object, toolCalls: readonly TrialToolCall[], pass: boolean, message: string]>([
  [{ decision: "denied" }, calls, true, "1 call of pay is denied"],
  [{ decision: "allowed" }, calls, true, "1 call of pay is allowed"],
  [{ tool: "*", decision: "allowed", times: 2 }, calls, true, "2 calls of * are allowed"],
  [{ decision: "pending", max: 0 }, [], true, "0 calls of pay are pending"],
  [
    { decision: "pending", max: 0 },
    [pending],
    false,
    "Expected a call of pay to be pending exactly 0 times, but 1 call of pay is pending",
  ],
  [{ decision: "pending" }, [pending], true, "1 call of pay is pending"],
  [
    { decision: "denied", args: { id: 2 } },
    calls,
    false,
    "Expected a call of pay with {id: 2} to be denied, but pay({id: 2}) is approved (approvals 3)",
  ],
  [
    { decision: "approved", min: 2 },
    calls,
    false,
    "Expected a call of pay to be approved at least 2 times, but 1 call of pay is approved",
  ],
  [
    { decision: "approved" },
    [denied],
    false,
    "Expected a call of pay to be approved, but pay({id: 1}) is denied (deny: pay)",
  ],
  [{ decision: "approved" }, [call(3)], false, "Expected a call of pay to be approved, but pay({id: 3}) is allowed"],
  [{ decision: "denied", times: 1 }, [], false, "Expected a call of pay to be denied exactly once, but there is none"],
])("%j of %j", async (written, toolCalls, pass, message) => {
  const trial = { toolCalls };
  const result = await evaluateWritten({ type: "permission", tool: "pay", ...written }, trial);
  expect(result).toMatchObject({ success: true, data: { pass, message } });
});
