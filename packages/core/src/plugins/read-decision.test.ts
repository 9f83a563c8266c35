import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPostToolUse as readAfter, readPreToolUse } from "./read-decision.js";

const readPostToolUse = (answer: unknown): ReturnType<typeof readAfter> => readAfter(answer, { ok: true, value: 0 });

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
const failed = (message: string) => ({
  decision: "replace",
  reason: null,
  outcome: { ok: false, failure: { errorType: "logical", message } },
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
    [{ replace: { ok: false, error: { message: "down" } } }, failed("down")],
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
    [{ update: { value: 2 } }, replaced(2)],
    [{ update: { content: 2 }, reason: "shortened" }, replaced(2, "shortened")],
    [{ update: { error: { message: "down" } } }, failed("down")],
    [{ update: { ok: false, content: { ok: false, error: "down" } } }, failed("down")],
    [{ update: {} }, null],
    [{ update: { ok: true } }, null],
    [{ replace: { id: "1", name: "t", ok: true, content: { a: 1 } } }, replaced({ a: 1 })],
  ])("%o decides", (answer, expected) => {
    expect(readPostToolUse(answer)).toEqual({ success: true, data: expected });
  });

  it("keeps what an update does not name", () => {
    const after = (update: object): unknown => readAfter({ update }, { ok: false, error: { message: "down" } });
    expect(after({ value: 1 })).toEqual({ success: true, data: replaced(1) });
    expect(after({ error: { message: "off" } })).toEqual({ success: true, data: failed("off") });
    expect(after({ content: { error: "off" } })).toEqual({ success: true, data: failed("off") });
    expect(after({ ok: false })).toEqual({ success: true, data: null });
    expect(after({ ok: true })).toMatchObject({ success: false });
    expect(after({ content: 1 })).toMatchObject({ success: false });
  });

  it.each([
    [
      { decision: "deny" },
      'answered {decision: "deny"}, which is not undefined, { replace: outcome } or { update: parts of the outcome }',
    ],
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
        { update: answer },
        { update: { content: answer } },
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
