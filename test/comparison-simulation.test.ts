import { expect, it } from "vitest";
import { simulateComparisons } from "./support/simulate-comparison.js";

// A few pairs of runs; test/long has enough of them to tell one rate of false alarms from another.

it("seldom calls a run regressed that is no other than its baseline", async () => {
  const { regressed, inconclusive } = await simulateComparisons(0.85, 0.85, 10);
  // With false alarms in 5 % of the comparisons, 3 of 10 would come once in 87 times; these come out the same every time.
  expect(regressed).toBeLessThan(3);
  // Runs that were all alike would be told apart from nothing: they differ, and three trials of twenty cases are few.
  expect(inconclusive).toBeGreaterThan(5);
});

it("finds a large drop nearly always", async () => {
  // Power for 0.9 to 0.4 with 20 cases of three trials: above 0.999.
  expect(await simulateComparisons(0.9, 0.4, 3)).toEqual({ ok: 0, regressed: 3, inconclusive: 0 });
});
