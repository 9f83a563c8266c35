import { expect, it } from "vitest";
import { killPayingRun, type Ending } from "../support/paying-runs.js";

it("200 runs that are killed while their agents pay pay nothing twice and lose nothing", async () => {
  const sum: Ending = { passed: 0, undecided: 0 };
  for (let kill = 1; kill <= 200; kill += 1) {
    const { passed, undecided } = await killPayingRun(1_000 + kill, 8);
    sum.passed += passed;
    sum.undecided += undecided;
  }
  // Calls that were under way at the kill are all that may stay undecided.
  expect(sum.passed).toBeGreaterThan(1_000);
  expect(sum.passed + sum.undecided).toBe(1_600);
});
