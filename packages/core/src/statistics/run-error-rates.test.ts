import { describe, expect, it } from "vitest";
import { draws } from "../__fixtures__/draws.js";
import { drawCases, same, type Design } from "./__fixtures__/drawn-runs.js";
import { lowerBound } from "./__fixtures__/lower-bound.js";
import { createTrialSource } from "./__fixtures__/random-trials.js";
import { decideTogether, measureSuite } from "./decide-comparison.js";

describe("runs of ten suites in which nothing changed", () => {
  const suites = 10;
  const pairs = draws({ brief: 60, full: 2_000 });

  /** How many are called regressed, and how many would be if each suite were decided by itself. */
  function countAlarms(design: Design) {
    const run = createTrialSource(2_300);
    const alarms = { together: 0, apart: 0 };
    for (let pair = 0; pair < pairs; pair += 1) {
      const measured = Array.from({ length: suites }, (_, suite) =>
        measureSuite(drawCases(run, design), pair * suites + suite),
      );
      const isAlarm = (verdict: { verdict: string }) => verdict.verdict === "regressed";
      alarms.together += Number(measured.map(decideTogether(measured, { margin: 1 })).some(isAlarm));
      alarms.apart += Number(measured.some((one) => isAlarm(decideTogether([one], { margin: 1 })(one))));
    }
    return alarms;
  }

  it.each([
    ["three to six trials", { rates: same(12, 0.7), trials: 3, unlike: 3 }],
    ["five trials each", { rates: same(16, 0.9), trials: 5 }],
    ["cases that nearly always or seldom pass", { rates: [...same(9, 0.97), ...same(9, 0.3)], trials: 5 }],
    ["cases that come out alike in threes", { rates: same(12, 0.7), trials: 5, alike: 3 }],
  ] as const)("are called regressed in at most alpha of the cases: %s", (_name, design) => {
    const { together, apart } = countAlarms(design);
    expect(lowerBound(together, pairs)).toBeLessThanOrEqual(0.05);
    // The same draws would raise far more alarms if suites were not decided together.
    expect(lowerBound(apart, pairs)).toBeGreaterThan(0.05);
  });
});
