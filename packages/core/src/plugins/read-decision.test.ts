import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPostToolUse, readPreToolUse } from "./read-decision.js";

const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;
const denied = (reason: string) => ({
  decision: "deny",
  reason,
  outcome: { ok: false, failure: { errorType: "logical", message: reason, retryable: false } },
});
const replaced = (value: unknown, reason: string | null = null) => ({
  decision: "replace",
  reason,
  outcome: { ok: true, value },
});

describe("readPreToolUse", () => {
  it.each([
    [undefined, null],
    [null, null],
    [{ decision: "allow" }, { decision: "allow", reason: null }],
    [{ decision: "deny", reason: "not here" }, denied("not here")],
    [{ decision: "deny" }, denied("The call was denied")],
    [{ decision: "deny", reason: 5 }, denied("The call was denied")],
    [
      { decision: "ask", reason: "a person must see it" },
      { decision: "ask", reason: "a person must see it" },
    ],
    [
      { decision: "ask", meta: { reason: "Not on the list" } },
      { decision: "ask", reason: "Not on the list" },
    ],
    [
      { decision: "ask", reason: 5 },
      { decision: "ask", reason: null },
    ],
    [{ result: 5 }, replaced(5)],
    [{ decision: "replace", result: { a: [1, undefined] } }, replaced({ a: [1, null] })],
    [{ decision: "replace", result: undefined, reason: "cached" }, replaced(null, "cached")],
  ])("%o decides", (answer, expected) => {
    expect(readPreToolUse(answer)).toEqual({ success: true, data: expected });
  });

  it.each([
    [true, 'answered true, which is not undefined or { decision: "allow" | "deny" | "ask" | "replace" }'],
    ["deny", 'answered "deny", which is not undefined or { decision: "allow" | "deny" | "ask" | "replace" }'],
    [{ decision: "maybe" }, 'answered "maybe", which is not "allow", "deny", "ask" or "replace" as its decision'],
    [{ deny: true }, 'answered nothing, which is not "allow", "deny", "ask" or "replace" as its decision'],
    [{ decision: "allow", reason: 5 }, "answered 5, which is not a string as its reason"],
    [{ decision: "replace" }, "answered replace without a result"],
    [{ decision: "replace", result: cycle }, /^answered something that cannot be read: Converting circular/],
    [{ decision: "replace", result: 1n }, /^answered something that cannot be read: .*BigInt/],
    [{ decision: "replace", result: () => 1 }, /which is not a result that JSON can carry$/],
  ])("%o is no decision", (answer, expected) => {
    const read = readPreToolUse(answer);
    expect(read.success).toBe(false);
    if (!read.success) expect(read.error).toMatch(expected);
  });
});

it("denies even if the reason throws when it is looked at", () => {
  const shy = {
    decision: "deny",
    get reason(): string {
      throw new Error("look away");
    },
  };
  expect(readPreToolUse(shy)).toEqual({ success: true, data: denied("The call was denied") });
});

it("survives what throws when it is looked at", () => {
  const gone = Proxy.revocable({}, {});
  gone.revoke();
  const shy = {
    get decision(): string {
      throw new Error("look away");
    },
  };
  const error = "answered something that cannot be read: look away";
  expect(readPreToolUse(shy)).toEqual({ success: false, error });
  for (const read of [readPreToolUse, readPostToolUse]) expect(read(gone.proxy)).toMatchObject({ success: false });
});

describe("readPostToolUse", () => {
  it.each([
    [undefined, null],
    [{ replace: { ok: true, value: 1 }, reason: "rounded" }, replaced(1, "rounded")],
    [
      { replace: { ok: false, error: { message: "down" } } },
      { decision: "replace", reason: null, outcome: { ok: false, failure: { errorType: "logical", message: "down" } } },
    ],
    [
      {
        replace: {
          ok: false,
          error: { message: "m", errorType: "runtime", retryable: true, recommendations: ["wait", 5] },
        },
      },
      {
        decision: "replace",
        reason: null,
        outcome: {
          ok: false,
          failure: { errorType: "runtime", message: "m", retryable: true, recommendations: ["wait"] },
        },
      },
    ],
  ])("%o decides", (answer, expected) => {
    expect(readPostToolUse(answer)).toEqual({ success: true, data: expected });
  });

  it.each([
    [{ decision: "deny" }, 'answered {decision: "deny"}, which is not undefined or { replace: outcome }'],
    [
      { replace: { value: 1 } },
      "answered {value: 1}, which is not { ok: true, value } or { ok: false, error: { message } } as its outcome",
    ],
    [
      { replace: { ok: false, error: "down" } },
      'answered {ok: false, error: "down"}, which is not { ok: true, value } or { ok: false, error: { message } } as its outcome',
    ],
    [
      { replace: { ok: false, error: { message: "m", errorType: "oops" } } },
      'answered "oops", which is not one of validation, runtime, logical, aborted, exception as its errorType',
    ],
  ])("%o is no decision", (answer, error) => {
    expect(readPostToolUse(answer)).toEqual({ success: false, error });
  });
});

it("any answer: a decision or a reason, never a throw, and a decision is always JSON", () => {
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }), (answer) => {
      const wrapped = [
        answer,
        { decision: "replace", result: answer },
        { replace: answer },
        { replace: { ok: true, value: answer } },
      ];
      for (const one of wrapped) {
        for (const read of [readPreToolUse, readPostToolUse]) {
          const decided = read(one);
          if (decided.success) expect(JSON.parse(JSON.stringify(decided.data))).toEqual(decided.data);
          else expect(decided.error).toMatch(/^answered /);
        }
      }
    }),
  );
});
