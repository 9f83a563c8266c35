import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { percentile } from "./percentile.js";
import { wilsonInterval } from "./wilson.js";

describe("wilsonInterval", () => {
  // Reference: SciPy 1.10.1, binomtest(k, n).proportion_ci(0.95, method="wilson").
  it.each([
    [0, 10, 0, 0.27753279986288926],
    [1, 10, 0.017876213095072896, 0.4041500267952385],
    [5, 10, 0.236593090512564, 0.7634069094874361],
    [10, 10, 0.7224672001371109, 1],
    [3, 3, 0.4385029682449546, 1],
    [42, 50, 0.7148578393696501, 0.916625793219666],
  ])("%d of %d is [%d, %d]", (successes, total, low, high) => {
    const interval = wilsonInterval(successes, total);
    expect(interval?.[0]).toBeCloseTo(low, 12);
    expect(interval?.[1]).toBeCloseTo(high, 12);
  });

  it("has nothing to say without observations", () => {
    expect(wilsonInterval(0, 0)).toBeNull();
  });

  it("lies in [0, 1], holds the rate, and mirrors", () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (passes, fails) => {
        fc.pre(passes + fails > 0);
        const [low, high] = wilsonInterval(passes, passes + fails) ?? [Number.NaN, Number.NaN];
        const [mirroredLow, mirroredHigh] = wilsonInterval(fails, passes + fails) ?? [Number.NaN, Number.NaN];
        const rate = passes / (passes + fails);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(rate);
        expect(high).toBeGreaterThanOrEqual(rate);
        expect(1 - mirroredHigh).toBeCloseTo(low, 9);
        expect(1 - mirroredLow).toBeCloseTo(high, 9);
      }),
    );
  });
});

describe("percentile", () => {
  it.each([
    [[], 0.5, null],
    [[7], 0.95, 7],
    [[1, 2, 3, 4], 0.5, 2],
    [Array.from({ length: 100 }, (_, index) => index + 1), 0.95, 95],
    [[1, 2, 3], 1, 3],
    [[1, 2, 3], 0, 1],
  ])("of %j at %d is %s", (sorted, share, expected) => {
    expect(percentile(sorted, share)).toBe(expected);
  });
});
