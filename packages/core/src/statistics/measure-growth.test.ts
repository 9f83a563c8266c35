import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../__fixtures__/draws.js";
import { createRandom } from "../values/random.js";
import { lowerBound } from "./__fixtures__/lower-bound.js";
import { drawnEfforts, type EffortDesign } from "./__fixtures__/drawn-efforts.js";
import { isSignificant } from "./is-significant.js";
import { measureGrowth, type EffortSample, type PairedEffort } from "./measure-growth.js";

const once = (mean: number): EffortSample => ({ trials: 1, mean, spread: null });
const pair = (before: number, after: number, more: Partial<PairedEffort> = {}): PairedEffort => ({
  cluster: `${before} ${after}`,
  hasNoise: true,
  baseline: once(before),
  candidate: once(after),
  ...more,
});

describe("measureGrowth", () => {
  it("is the geometric mean, with the interval and p of Student's t", () => {
    // scipy.stats.ttest_1samp(numpy.log([1.1, 1.3, 0.9, 1.5, 1.2]), 0, alternative="greater") and t.interval of it.
    const growth = measureGrowth(
      [100, 200, 300, 400, 500].map((before, at) => pair(before, before * ([1.1, 1.3, 0.9, 1.5, 1.2][at] ?? 1))),
    );
    const logs = [1.1, 1.3, 0.9, 1.5, 1.2].map(Math.log);
    const mean = logs.reduce((sum, one) => sum + one, 0) / 5;
    const error = Math.sqrt(logs.reduce((sum, one) => sum + (one - mean) ** 2, 0) / 4 / 5);
    expect(growth).toMatchObject({ cases: 5, clusters: 5, baseline: 300, candidate: expect.closeTo(368, 9) });
    expect(growth?.ratio).toBeCloseTo(Math.exp(mean), 12);
    expect(growth?.interval?.[0]).toBeCloseTo(Math.exp(mean - 2.7764451051977987 * error), 9);
    expect(growth?.interval?.[1]).toBeCloseTo(Math.exp(mean + 2.7764451051977987 * error), 9);
    expect(growth?.p).toBeCloseTo(0.060095727898, 10);
  });

  it.each<[string, readonly PairedEffort[], object | null]>([
    ["no case", [], null],
    ["cases that take nothing", [pair(0, 0)], null],
    ["one cluster, which shows no noise", [pair(1, 9)], { ratio: expect.closeTo(9, 9), interval: null, p: 1 }],
    ["no noise", [pair(2, 3, { hasNoise: false })], { ratio: expect.closeTo(1.5, 9), interval: null, p: null }],
    [
      "cases with noise, and one without",
      [pair(2, 9, { hasNoise: false }), pair(1, 1), pair(3, 3)],
      { cases: 2, ratio: 1, p: 1 },
    ],
    ["nothing, then something", [pair(0, 4), pair(4, 4)], { cases: 2, ratio: expect.closeTo(Math.sqrt(2), 9) }],
  ])("of %s", (_name, pairs, expected) => {
    const growth = measureGrowth(pairs);
    if (expected === null) expect(growth).toBeNull();
    else expect(growth).toMatchObject(expected);
  });

  it("is never surer than as many flips of a coin as clusters changed", () => {
    const same = Array.from({ length: 20 }, (_, at) => pair(2, at < 3 ? 3 : 2, { cluster: String(at) }));
    expect(measureGrowth(same)?.p).toBe(1 / 8);
    expect(measureGrowth(Array.from({ length: 4 }, (_, at) => pair(2, 3, { cluster: String(at) })))?.p).toBe(1 / 16);
  });

  it("turns round with the sides, whatever the unit", () => {
    const amounts = fc.double({ min: 0.01, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(amounts, amounts), { minLength: 2, maxLength: 12 }), amounts, (all, unit) => {
        const there = measureGrowth(all.map(([one, other], at) => pair(one, other, { cluster: String(at) })));
        const back = measureGrowth(
          all.map(([one, other], at) => pair(other * unit, one * unit, { cluster: String(at) })),
        );
        expect(Math.log(there?.ratio ?? 0)).toBeCloseTo(-Math.log(back?.ratio ?? 0), 6);
        expect(Math.log(there?.interval?.[0] ?? 0)).toBeCloseTo(-Math.log(back?.interval?.[1] ?? 0), 4);
      }),
    );
  });

  const times = draws({ brief: 300, full: 4_000 });
  it.each<[string, EffortDesign]>([
    ["tokens of single trials", { kind: "tokens", cases: 20, trials: 1 }],
    ["latencies with a long tail", { kind: "latency", cases: 10, trials: 3 }],
    ["few tool calls", { kind: "calls", cases: 20, trials: 1 }],
    ["five trials against one", { kind: "tokens", cases: 20, trials: 5, trialsBefore: 1 }],
    ["one trial against five", { kind: "latency", cases: 20, trials: 1, trialsBefore: 5 }],
  ])("seldom calls chance growth: %s", (_name, design) => {
    const random = createRandom(11);
    let alarms = 0;
    for (let time = 0; time < times; time += 1) {
      if (isSignificant(measureGrowth(drawnEfforts(design, random))?.p ?? 1, 0.05)) alarms += 1;
    }
    expect(lowerBound(alarms, times)).toBeLessThanOrEqual(0.05);
  });

  it("finds a growth by half nearly always, and by nothing at all never surely", () => {
    const random = createRandom(5);
    for (let time = 0; time < 30; time += 1) {
      const growth = measureGrowth(drawnEfforts({ kind: "tokens", cases: 20, trials: 3, factor: 1.5 }, random));
      expect(growth?.p).toBeLessThan(0.05);
    }
  });
});
