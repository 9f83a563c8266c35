import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draws } from "../__fixtures__/draws.js";
import { createTrialSource } from "./__fixtures__/random-trials.js";
import { clusteredMean } from "./clustered-mean.js";
import { meanRate } from "./mean-rate.js";
import { tInterval } from "./__fixtures__/t-interval.js";
import { wilsonInterval } from "./wilson.js";

const repeat = (count: number, passes: number, trials: number) =>
  Array.from({ length: count }, (_, index) => ({ cluster: `${passes} of ${trials}, ${index}`, passes, trials }));

describe("meanRate", () => {
  it("counts each case once, and leaves out those without a trial that counts", () => {
    const rate = meanRate([...repeat(1, 1, 1), ...repeat(1, 10, 40), ...repeat(5, 0, 0)]);
    expect(rate).toMatchObject({ mean: 0.625, cases: 2, clusters: 2 });
    // The standard error of 1 and 1/4 is 3/8.
    expect(rate?.standardError).toBeCloseTo(0.375, 14);
    expect(meanRate(repeat(3, 0, 0))).toBeNull();
    expect(meanRate([])).toBeNull();
  });

  it("has the standard error of the clusters", () => {
    const cases = [...repeat(2, 1, 2), ...repeat(3, 3, 4)].map((one, index) => ({
      ...one,
      cluster: String(index % 2),
    }));
    const expected = clusteredMean(cases.map(({ cluster, passes, trials }) => ({ cluster, value: passes / trials })));
    expect(meanRate(cases)).toMatchObject({ clusters: 2, standardError: expected?.standardError });
  });

  it("has an interval that is never of zero width", () => {
    expect(meanRate(repeat(20, 1, 1))?.interval[0]).toBeCloseTo(wilsonInterval(20, 20)?.[0] ?? Number.NaN, 1);
    expect(meanRate(repeat(20, 1, 1))?.interval[1]).toBe(1);
    expect(meanRate(repeat(20, 0, 1))?.interval[0]).toBe(0);
    const rates = fc.array(
      fc.record({ cluster: fc.constantFrom("a", "b", "c"), passes: fc.nat(5), trials: fc.constantFrom(5, 6) }),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(rates, (cases) => {
        const { mean, interval } = meanRate(cases) ?? { mean: Number.NaN, interval: [Number.NaN, Number.NaN] };
        expect(interval[0]).toBeGreaterThanOrEqual(0);
        expect(interval[0]).toBeLessThanOrEqual(mean);
        expect(interval[1]).toBeLessThanOrEqual(1);
        expect(interval[1]).toBeGreaterThanOrEqual(mean);
        expect(interval[1] - interval[0]).toBeGreaterThan(0.01);
      }),
    );
  });

  it("has the t interval where there are many trials", () => {
    const cases = [...repeat(6, 700, 1_000), ...repeat(6, 400, 1_000), ...repeat(6, 500, 1_000)];
    const rate = meanRate(cases);
    const [low, high] = rate === null ? [] : (tInterval(rate) ?? []);
    expect(rate?.interval[0]).toBeCloseTo(low ?? Number.NaN, 3);
    expect(rate?.interval[1]).toBeCloseTo(high ?? Number.NaN, 3);
  });

  it.each([
    ["single trials near 1", 30, 1, 0.97],
    ["single trials", 30, 1, 0.7],
    ["five trials near 1", 10, 5, 0.97],
    ["five trials", 10, 5, 0.5],
    ["one case", 1, 40, 0.9],
  ])("covers: %s", (_name, count, trials, rate) => {
    const repeats = draws({ brief: 300, full: 1_500 });
    const run = createTrialSource(3);
    let misses = 0;
    for (let repeated = 0; repeated < repeats; repeated += 1) {
      const cases = Array.from({ length: count }, (_, index) => ({ cluster: String(index), ...run(rate, trials) }));
      const [low, high] = meanRate(cases)?.interval ?? [Number.NaN, Number.NaN];
      if (!(low <= rate && rate <= high)) misses += 1;
    }
    expect(misses / repeats).toBeLessThan(0.05 + 4 * Math.sqrt((0.05 * 0.95) / repeats));
  });
});
