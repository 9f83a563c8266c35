import { expect, it } from "vitest";
import { kindlmError } from "../errors/kindlm-error.js";
import { decideTrialStatus, type TrialFindings } from "./decide-trial-status.js";

const resumed = { resumed: "answered_before" } as const;
const quiet: TrialFindings = {
  stoppedBy: null,
  interruptedBy: null,
  isLost: false,
  asserted: { status: "passed", score: 1, error: null },
  toolCalls: [],
};
const failed = { status: "failed", score: 0, error: null } as const;
const unjudged = { status: "errored", score: null, error: kindlmError("JUDGE_EVAL_ERROR", "no judge") } as const;
const outside = kindlmError("PROVIDER_API_ERROR", "the provider is down");
const byAgent = kindlmError("ENGINE_MAX_TURNS", "too many turns");
const late = kindlmError("ENGINE_TIMEOUT", "too late");

it.each<[name: string, findings: Partial<TrialFindings>, status: string, code: string | null]>([
  ["its assertions pass", {}, "passed", null],
  ["its assertions fail", { asserted: failed }, "failed", null],
  ["an assertion cannot be evaluated", { asserted: unjudged }, "errored", "JUDGE_EVAL_ERROR"],
  ["there are no assertions to ask", { asserted: null }, "passed", null],
  ["it is lost before its assertions", { isLost: true, asserted: null }, "failed", null],
  ["it is lost, whatever its assertions say", { isLost: true }, "failed", null],
  ["it is lost, and an assertion cannot be evaluated", { isLost: true, asserted: unjudged }, "failed", null],
  ["it was stopped", { stoppedBy: outside, asserted: null }, "errored", "PROVIDER_API_ERROR"],
  ["it was stopped after it was lost", { stoppedBy: outside, isLost: true }, "errored", "PROVIDER_API_ERROR"],
  [
    "it was stopped, and its time ran out",
    { stoppedBy: outside, interruptedBy: late },
    "errored",
    "PROVIDER_API_ERROR",
  ],
  ["a judge is cut short", { asserted: unjudged, interruptedBy: late }, "errored", "ENGINE_TIMEOUT"],
  ["its time ran out after it was decided", { asserted: failed, interruptedBy: late }, "failed", null],
  ["it passes on calls of before", { toolCalls: [resumed] }, "passed", null],
  ["it fails on calls of before", { toolCalls: [resumed], asserted: failed }, "errored", "ENGINE_ABORTED"],
  ["it is lost on calls of before", { toolCalls: [resumed], isLost: true }, "errored", "ENGINE_ABORTED"],
  ["its agent ends it on calls of before", { toolCalls: [resumed], stoppedBy: byAgent }, "errored", "ENGINE_ABORTED"],
  [
    "a provider ends it on calls of before",
    { toolCalls: [resumed], stoppedBy: outside },
    "errored",
    "PROVIDER_API_ERROR",
  ],
  ["a judge fails on calls of before", { toolCalls: [resumed], asserted: unjudged }, "errored", "JUDGE_EVAL_ERROR"],
])("decides a trial if %s", (_name, findings, status, code) => {
  const decided = decideTrialStatus({ ...quiet, ...findings });
  expect(decided).toEqual({ status, error: code === null ? null : expect.objectContaining({ code }) });
});

it("says how many calls were not made again", () => {
  const decided = decideTrialStatus({ ...quiet, asserted: failed, toolCalls: [resumed, {}, resumed] });
  expect(decided.error).toMatchObject({ code: "ENGINE_ABORTED", details: { resumedCalls: 2 } });
});
