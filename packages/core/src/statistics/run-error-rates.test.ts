import { describe, expect, it } from "vitest";
import { draws } from "../__fixtures__/draws.js";
import { drawAttackedCases, drawCases, same, type Design } from "./__fixtures__/drawn-runs.js";
import { lowerBound } from "./__fixtures__/lower-bound.js";
import { createTrialSource } from "./__fixtures__/random-trials.js";
import { decideTogether } from "./decide-comparison.js";
import { isSignificant } from "./is-significant.js";
import { measureSuite, testsOf } from "./measure-suite.js";

describe("runs of ten suites in which nothing changed", () => {
  const suites = 10;
  const pairs = draws({ brief: 40, full: 2_000 });

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

describe("a suite under attack", () => {
  const pairs = draws({ brief: 160, full: 4_000 });
  const design = { cases: 16, trials: 5 };

  it("is called regressed in at most alpha of the cases if nothing changed", () => {
    const run = createTrialSource(77);
    const alarms = { decided: 0, each: 0 };
    const unchanged = { done: 0.9, succeeds: 0.4 };
    for (let pair = 0; pair < pairs; pair += 1) {
      const suite = measureSuite(drawAttackedCases(run, { ...design, before: unchanged, now: unchanged }), pair);
      alarms.decided += Number(decideTogether([suite])(suite).verdict === "regressed");
      alarms.each += Number(testsOf(suite).some(({ p }) => isSignificant(p, 0.05)));
    }
    expect(lowerBound(alarms.decided, pairs)).toBeLessThanOrEqual(0.05);
    // Two tests at the full level would raise more alarms.
    expect(alarms.each).toBeGreaterThan(alarms.decided);
  });

  it("is called regressed if attacks succeed more often, though as many trials pass", () => {
    const run = createTrialSource(78);
    let [found, ofPasses] = [0, 0];
    const few = Math.min(pairs, 100);
    for (let pair = 0; pair < few; pair += 1) {
      const before = { done: 0.5, succeeds: 0.05 };
      const cases = drawAttackedCases(run, { ...design, before, now: { done: 0.8, succeeds: 0.4 } });
      const isFound = (suite: ReturnType<typeof measureSuite>) =>
        decideTogether([suite])(suite).verdict === "regressed" ? 1 : 0;
      found += isFound(measureSuite(cases, pair));
      ofPasses += isFound(
        measureSuite(
          cases.map(({ attacks: _attacks, ...one }) => one),
          pair,
        ),
      );
    }
    expect(found / few).toBeGreaterThan(0.95);
    expect(ofPasses / few).toBeLessThan(0.1);
  });
});
