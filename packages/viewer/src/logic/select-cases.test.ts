import { expect, it } from "vitest";
import { makeCase, makeIndex } from "../__fixtures__/make-report.js";
import { createHaystack, nextFailure, selectCases } from "./select-cases.js";
import { startState, type ViewState } from "./view-state.js";

const index = makeIndex([
  makeCase({ id: "refunds/full[alpha]@gpt", tags: [0], isFlaky: true }),
  makeCase({ id: "refunds/full[東京]@claude#short", model: 1, status: "failed", kind: 1, change: "regressed" }),
  makeCase({ id: "orders/where@gpt", suite: 1, status: "errored", cause: 1, tags: [0, 1] }),
  makeCase({ id: "orders/later@gpt", suite: 1, status: "skipped", reason: "No key is set" }),
]);

function select(change: Partial<ViewState>, marks: { found?: readonly number[]; labeled?: readonly string[] } = {}) {
  const found = marks.found === undefined ? null : new Set(marks.found);
  const labeled = new Set(marks.labeled);
  return selectCases(index, { ...startState, ...change }, createHaystack(index), { found, labeled });
}

it.each<[Partial<ViewState>, readonly number[]]>([
  [{}, [0, 1, 2, 3]],
  [{ statuses: ["failed", "skipped"] }, [1, 3]],
  [{ marks: ["flaky"] }, [0]],
  [{ statuses: ["errored"], marks: ["flaky", "regressed"] }, [0, 1, 2]],
  [{ marks: ["improved"] }, []],
  [{ kind: 1 }, [1]],
  [{ cause: 1 }, [2]],
  [{ kind: 9 }, []],
  [{ suite: "orders" }, [2, 3]],
  [{ suite: "nothing" }, []],
  [{ model: "claude#short" }, [1]],
  [{ tag: "nightly" }, [2]],
  [{ q: "FULL gpt" }, [0]],
  [{ q: "東京" }, [1]],
  [{ q: "too small" }, [1]],
  [{ q: "rate limit" }, [2]],
  [{ q: "no key" }, [3]],
  [{ q: "smoke" }, [0, 2]],
  [{ q: "  " }, [0, 1, 2, 3]],
  [{ q: "gpt", suite: "orders", statuses: ["errored"] }, [2]],
])("shows for %j the cases %j", (change, places) => {
  expect(select(change)).toEqual(places);
});

it("shows what a search found, and what was labeled", () => {
  expect(select({ text: "card" }, { found: [1, 3] })).toEqual([1, 3]);
  expect(select({ text: "card", suite: "orders" }, { found: [1, 3] })).toEqual([3]);
  expect(select({ marks: ["labeled"] }, { labeled: ["orders/where@gpt"] })).toEqual([2]);
});

it("goes from failure to failure, and stops at the last", () => {
  const all = [0, 1, 2, 3];
  expect(nextFailure(index, all, -1, 1)).toBe(1);
  expect(nextFailure(index, all, 1, 1)).toBe(2);
  expect(nextFailure(index, all, 2, 1)).toBeNull();
  expect(nextFailure(index, all, 3, -1)).toBe(2);
  expect(nextFailure(index, all, 1, -1)).toBeNull();
  expect(nextFailure(index, [0, 2], 0, 1)).toBe(2);
});
