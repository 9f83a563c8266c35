import { expect, it } from "vitest";
import { simulateComparisons } from "../support/simulate-comparison.js";

it("seldom calls a run regressed that is no other than its baseline", async () => {
  const { regressed, inconclusive } = await simulateComparisons(0.85, 0.85, 200);
  // With false alarms in 5 % of the comparisons, 21 of 200 would come once in 700 times.
  expect(regressed).toBeLessThan(21);
  expect(inconclusive).toBeGreaterThan(100);
});

it("finds a large drop nearly always", async () => {
  const { regressed } = await simulateComparisons(0.9, 0.4, 60);
  expect(regressed).toBeGreaterThanOrEqual(59);
});
