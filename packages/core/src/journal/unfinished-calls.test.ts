import { describe, expect, it } from "vitest";
import { sampleIdentity } from "./__fixtures__/sample-records.js";
import { callKey, createUnfinishedCalls } from "./unfinished-calls.js";

const call = { at: 1, caseId: "c", trial: 1, occurrence: 1, tool: "pay", args: { a: 1, b: 2 } };
const { agentHash, setupHash } = sampleIdentity;
const intent = { kind: "intent" as const, identity: { agentHash, setupHash }, ...call };
const outcome = { kind: "outcome" as const, ...call, outcome: { ok: true } };

describe("createUnfinishedCalls", () => {
  it("knows which calls were begun, and what came of those that were answered", () => {
    const calls = createUnfinishedCalls();
    calls.began(intent);
    calls.began({ ...intent, occurrence: 2 });
    calls.answered({ ...outcome, args: { b: 2, a: 1 } });
    expect([...calls.of("c", 1).values()]).toEqual([
      { agentHash, setupHash, outcome: { ok: true } },
      { agentHash, setupHash, outcome: undefined },
    ]);
  });

  it("forgets the answer of a call that was begun anew", () => {
    const calls = createUnfinishedCalls();
    calls.began(intent);
    calls.answered(outcome);
    calls.began(intent);
    expect(calls.of("c", 1).get(callKey("pay", call.args, 1))?.outcome).toBeUndefined();
  });

  it("keeps trials apart, forgets finished ones, and answers for what nobody began", () => {
    const calls = createUnfinishedCalls();
    calls.began(intent);
    calls.began({ ...intent, trial: 2 });
    calls.answered({ ...outcome, caseId: "other" });
    calls.finished("c", 1);
    expect([calls.of("c", 1).size, calls.of("c", 2).size, calls.of("other", 1).size]).toEqual([0, 1, 0]);
  });
});

describe("callKey", () => {
  it.each([
    ["the order of keys does not matter", { a: 1, b: [2] }, { b: [2], a: 1 }, true],
    ["other values do", { a: 1 }, { a: 2 }, false],
    ["no arguments are null", undefined, null, true],
  ])("%s", (_name, left, right, isSame) => {
    expect(callKey("t", left, 1) === callKey("t", right, 1)).toBe(isSame);
    expect(callKey("t", left, 1)).not.toBe(callKey("t", left, 2));
    expect(callKey("t", left, 1)).not.toBe(callKey("u", left, 1));
  });
});
