import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultyTools, orderAnswer, orderTool } from "../../__fixtures__/faulty-tools.js";

describe("an error", () => {
  it("is told instead of running the tool", async () => {
    const { call } = faultyTools([{ tool: "order", kind: "error" }], {
      tools: [{ name: "order", default: { set: { ran: true }, return: 1 } }],
    });
    const invocation = await call();
    expect(invocation).toMatchObject({
      outcome: { ok: false, failure: { errorType: "runtime", message: "service unavailable", retryable: true } },
      fault: { id: "error:order", kind: "error" },
    });
    expect(invocation).not.toHaveProperty("stateChanges");
  });

  it("is the one that the config writes, filled in for the call, with advice as for any error", async () => {
    const error = { type: "logical", message: "{{args.id}} is not in {{city}}", retryable: false };
    const { call } = faultyTools([{ tool: "*", kind: "error", error }], {
      tools: [{ ...orderTool, recommendations: { logical: ["Ask elsewhere"] } }],
    });
    expect(JSON.parse((await call()).content)).toEqual({
      ok: false,
      error: "1 is not in Bonn",
      errorType: "logical",
      retryable: false,
      recommendations: ["Ask elsewhere"],
    });
  });
});

describe("latency and hang", () => {
  it("waits before the tool is run", async () => {
    const { call, clock } = faultyTools([{ tool: "order", kind: "latency", delay: "3s" }]);
    const called = call();
    clock.advance(3_000);
    expect(await called).toMatchObject({
      outcome: { value: orderAnswer },
      durationMs: 3_000,
      fault: { kind: "latency" },
    });
  });

  it.each([{ kind: "hang" }, { kind: "latency", delay: "5m" }])(
    "is ended by the deadline of the tool: %j",
    async (fault) => {
      const ran = { name: "order", default: { set: { ran: true }, return: 1 } };
      const { call, clock } = faultyTools([{ tool: "order", ...fault }], { tools: [ran] });
      const called = call();
      clock.advance(60_000);
      const invocation = await called;
      clock.advance(600_000);
      expect(invocation).toMatchObject({
        outcome: { ok: false, failure: { errorType: "aborted", retryable: false } },
        fault: { kind: fault.kind },
      });
      expect(invocation).not.toHaveProperty("stateChanges");
    },
  );
});

describe("a spoilt answer", () => {
  const json = JSON.stringify(orderAnswer);

  it.each([
    ["half of it", {}, orderAnswer, json.slice(0, Math.floor(json.length / 2))],
    ["as many characters as it says", { keep: 5 }, orderAnswer, json.slice(0, 5)],
    ["nothing", { keep: 0 }, "text", ""],
    ["whole characters", { keep: 2 }, "a😀b", "a😀"],
  ])("is cut to %s", async (_name, more, returned, expected) => {
    const { call } = faultyTools([{ tool: "order", kind: "truncate", ...more }], {
      tools: [{ name: "order", default: { return: returned } }],
    });
    expect(await call()).toMatchObject({
      content: expected,
      outcome: { ok: true, value: expected },
      fault: { returned },
    });
  });

  it.each([
    [["status"], orderAnswer, { id: "ORD-1", customer: orderAnswer.customer }],
    [["customer.email", "nothing"], orderAnswer, { ...orderAnswer, customer: { name: "Jo" } }],
    [["items.price"], { items: [{ price: 1, n: 1 }, { n: 2 }] }, { items: [{ n: 1 }, { n: 2 }] }],
    [["a"], [{ a: 1 }, { a: 2, b: 3 }], [{}, { b: 3 }]],
    [["a"], '{"a": 1, "b": 2}', '{"b":2}'],
  ])("lacks the fields %j", async (fields, returned, expected) => {
    const { call } = faultyTools([{ tool: "order", kind: "drop_fields", fields }], {
      tools: [{ name: "order", default: { return: returned } }],
    });
    expect(await call()).toMatchObject({ outcome: { ok: true, value: expected }, fault: { returned } });
    expect((await call()).outcome).toEqual({ ok: true, value: expected });
  });

  it("lacks one field that the seed chooses, and in time each of them", async () => {
    const lost = new Set<string>();
    for (let seed = 0; seed < 40; seed += 1) {
      const { outcome } = await faultyTools([{ tool: "order", kind: "drop_fields" }], { seed }).call();
      const left = outcome.ok ? Object.keys(outcome.value as object) : [];
      expect(left).toHaveLength(2);
      for (const key of Object.keys(orderAnswer)) if (!left.includes(key)) lost.add(key);
    }
    expect([...lost].toSorted()).toEqual(["customer", "id", "status"]);
  });

  it("never parses when it is malformed, whatever mapping or list it was", async () => {
    const containers = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
    await fc.assert(
      fc.asyncProperty(containers, fc.boolean(), fc.nat(), async (value, asText, seed) => {
        const returned = asText ? JSON.stringify(value) : value;
        const { call } = faultyTools([{ tool: "order", kind: "malformed_json" }], {
          seed,
          // A template would be filled in, which is not what this is about.
          tools: [{ name: "order", default: { return: JSON.parse(JSON.stringify(returned).replaceAll("{{", "{ {")) } }],
        });
        const { content, fault } = await call();
        expect((): unknown => JSON.parse(content)).toThrow(SyntaxError);
        expect(fault?.kind).toBe("malformed_json");
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    [{ kind: "truncate", keep: 500 }, orderAnswer, "the answer of call 1 was no longer than 500 characters"],
    [{ kind: "truncate", keep: 4 }, "text", "the answer of call 1 was no longer than 4 characters"],
    [{ kind: "drop_fields", fields: ["x.y", "z"] }, orderAnswer, "the answer of call 1 had no field x.y, z"],
    [{ kind: "drop_fields" }, "text", "the answer of call 1 had no fields"],
    [{ kind: "malformed_json" }, "text", "the answer of call 1 was neither an object nor a list"],
  ])("is told as it is where %j finds nothing to spoil", async (fault, returned, missed) => {
    const { call, reports } = faultyTools([{ tool: "order", ...fault }], {
      tools: [{ name: "order", default: { return: returned } }],
    });
    const invocation = await call();
    expect(invocation.outcome).toEqual({ ok: true, value: returned });
    expect(invocation).not.toHaveProperty("fault");
    expect(reports()).toMatchObject([{ calls: 1, fired: 0, missed }]);
  });

  it("is no matter of a call that failed by itself", async () => {
    const { call, reports } = faultyTools([{ tool: "order", kind: "truncate" }], {
      tools: [{ name: "order", default: { error: { message: "down" } } }],
    });
    await call();
    expect(reports()).toMatchObject([{ fired: 0, missed: "the tool failed by itself on call 1" }]);
  });
});

describe("a duplicate", () => {
  it("runs the tool twice, and the second answer counts", async () => {
    const sequence = [{ return: "paid" }, { error: { type: "logical", message: "already paid" } }];
    const { call } = faultyTools([{ tool: "pay", kind: "duplicate", call: 1 }], {
      tools: [
        { name: "pay", default: { sequence: sequence.map((one, index) => ({ ...one, set: { runs: index + 1 } })) } },
      ],
    });
    expect(await call("pay")).toMatchObject({
      outcome: { ok: false, failure: { message: "already paid" } },
      fault: { id: "duplicate:pay", kind: "duplicate", returned: "paid" },
      stateChanges: [
        { path: "runs", to: 1 },
        { path: "runs", from: 1, to: 2 },
      ],
    });
  });

  it("does not fire where the first run does not come to an end", async () => {
    const { call, clock, reports } = faultyTools([{ tool: "order", kind: "duplicate" }], {
      tools: [{ name: "order", default: { hang: true } }],
    });
    const called = call();
    clock.advance(60_000);
    expect(await called).not.toHaveProperty("fault");
    expect(reports()).toMatchObject([{ fired: 0, missed: "the first run of call 1 did not come to an end" }]);
  });
});
