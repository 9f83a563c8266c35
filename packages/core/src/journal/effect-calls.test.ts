import { describe, expect, it } from "vitest";
import { keepExactIntegers } from "../values/exact-integers.js";
import { callKey, createEffectCalls } from "./effect-calls.js";
import { sampleIdentity } from "./__fixtures__/sample-records.js";

const call = { at: 1, caseId: "c", trial: 1, occurrence: 1, tool: "pay", args: { a: 1, b: 2 } };
const { agentHash, setupHash } = sampleIdentity;
const identity = { agentHash, setupHash };
const intent = { kind: "intent" as const, identity, ...call };
const outcome = { kind: "outcome" as const, ...call, outcome: { ok: true } };
const place = { offset: 7, length: 9 };

describe("createEffectCalls", () => {
  it("knows which calls were begun, in their order, and where the answers are", () => {
    const calls = createEffectCalls();
    calls.began(intent);
    calls.began({ ...intent, occurrence: 2 });
    calls.answered({ ...outcome, args: { b: 2, a: 1 } }, place);
    expect([...calls.of("c", 1, identity).values()]).toEqual([
      { tool: "pay", args: call.args, answer: place },
      { tool: "pay", args: call.args, answer: null },
    ]);
  });

  it("keeps calls apart whose arguments only their digits distinguish", () => {
    const calls = createEffectCalls();
    const args = (): object => ({ id: Number("9007199254740992") });
    const digits = { "/id": "9007199254740993" };
    calls.began({ ...intent, args: args(), exactIntegers: digits });
    calls.began({ ...intent, args: args() });
    calls.answered({ ...outcome, args: args(), exactIntegers: digits }, place);
    expect([...calls.of("c", 1, identity).values()].map(({ answer }) => answer)).toEqual([place, null]);
  });

  it("keeps trials and callers apart, and knows nothing of what nobody began", () => {
    const calls = createEffectCalls();
    const other = { agentHash: "other", setupHash };
    calls.began(intent);
    calls.began({ ...intent, trial: 2 });
    calls.began({ ...intent, identity: other });
    calls.answered(outcome, place);
    calls.answered({ ...outcome, caseId: "other" }, place);
    const answers = (trial: number, caller = identity) =>
      [...calls.of("c", trial, caller).values()].map(({ answer }) => answer);
    expect([answers(1), answers(1, other), answers(2), answers(3)]).toEqual([[null], [place], [null], []]);
  });

  it("forgets what never reached its tool", () => {
    const calls = createEffectCalls();
    calls.began(intent);
    calls.answered({ ...outcome, outcome: { ok: false, broken: true } }, place);
    expect(calls.of("c", 1, identity).size).toBe(0);
  });
});

function parseArgs(digits: string): unknown {
  const text = `{"id":${digits}}`;
  return keepExactIntegers(text, JSON.parse(text));
}

describe("callKey", () => {
  it.each([
    ["the order of keys does not matter", { a: 1, b: [2] }, { b: [2], a: 1 }, true],
    ["other values do", { a: 1 }, { a: 2 }, false],
    ["no arguments are null", undefined, null, true],
    ["digits do that no number can hold", parseArgs("9007199254740992"), parseArgs("9007199254740993"), false],
  ])("%s", (_name, left, right, isSame) => {
    expect(callKey("t", left, 1) === callKey("t", right, 1)).toBe(isSame);
    expect(callKey("t", left, 1)).not.toBe(callKey("t", left, 2));
    expect(callKey("t", left, 1)).not.toBe(callKey("u", left, 1));
  });
});
