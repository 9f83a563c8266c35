import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stepsOf } from "./state-path.js";
import { createTrialState, valueAt } from "./trial-state.js";

const steps = fc.array(fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom("__proto__", "constructor", "0", "1")), {
  minLength: 1,
  maxLength: 4,
});

describe("createTrialState", () => {
  it("gives back what was set, leaves all else as it was, and never touches what it began with", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), steps, fc.jsonValue(), (initial, path, value) => {
        const before = JSON.stringify(initial);
        const state = createTrialState(initial);
        const earlier = state.values;
        const change = state.set(path, value);
        expect(JSON.stringify(valueAt(state.values, path))).toBe(JSON.stringify(value));
        expect(JSON.stringify(initial)).toBe(before);
        expect(JSON.stringify(earlier)).toBe(before);
        for (const key of Object.keys(initial)) {
          if (key !== path[0]) expect(state.values[key]).toBe(initial[key]);
        }
        if (change === null) expect(JSON.stringify(valueAt(initial, path))).toBe(JSON.stringify(value));
        expect(Object.getPrototypeOf(state.values)).toBe(Object.prototype);
      }),
    );
  });

  it("sets elements of lists, and puts one behind the last", () => {
    const state = createTrialState({ items: [{ n: 1 }, { n: 2 }] });
    expect(state.set(["items", "1", "n"], 3)).toEqual({ path: "items.1.n", from: 2, to: 3 });
    expect(state.set(["items", "2"], { n: 4 })).toEqual({ path: "items.2", to: { n: 4 } });
    expect(state.values).toEqual({ items: [{ n: 1 }, { n: 3 }, { n: 4 }] });
  });
});

describe("stepsOf", () => {
  it.each([
    ["a", ["a"]],
    ["a.b.c", ["a", "b", "c"]],
    ["orders.{{args.order_id}}.status", ["orders", "{{args.order_id}}", "status"]],
    ["x{{args.a.b}}y.z", ["x{{args.a.b}}y", "z"]],
  ])("divides %s", (path, expected) => {
    expect(stepsOf(path)).toEqual(expected);
  });
});
