import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../values/random.js";
import { createTrialSource } from "./__fixtures__/random-trials.js";
import { mcnemarPowers } from "./__fixtures__/scipy-reference.js";
import { casesToDetect, minimumDetectableDrop, powerOfDrop, trialsToDetect } from "./drop-power.js";
import { isSignificant } from "./is-significant.js";
import { signFlipTest } from "./sign-flip-test.js";

describe("powerOfDrop", () => {
  it.each(mcnemarPowers)("with %d single trials at %d that drop by %d is near %d", (cases, rate, drop, power) => {
    expect(Math.abs(powerOfDrop({ cases, trials: 1, baselineRate: rate }, drop) - power)).toBeLessThan(0.05);
  });

  it.each([
    [12, 3, 0.9, 0.2],
    [20, 5, 0.8, 0.1],
    [16, 10, 0.95, 0.05],
  ])("is about how often %d cases × %d trials at %d show a drop by %d", (cases, trials, rate, drop) => {
    const run = createTrialSource(6);
    const repeats = 1_000;
    let found = 0;
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const sums = Array.from(
        { length: cases },
        () => (run(rate - drop, trials).passes - run(rate, trials).passes) / trials,
      );
      if (isSignificant(signFlipTest(sums, createRandom(1)), 0.05)) found += 1;
    }
    const error = powerOfDrop({ cases, trials, baselineRate: rate }, drop) - found / repeats;
    const chance = 3 * Math.sqrt(0.25 / repeats);
    expect(error).toBeLessThan(0.01 + chance);
    expect(error).toBeGreaterThan(-0.08 - chance);
  });

  it("is alpha or less without a drop, and 0 for so few cases that no result would do", () => {
    expect(powerOfDrop({ cases: 1_000_000, trials: 1, baselineRate: 0.8 }, 0)).toBeCloseTo(0.05, 2);
    expect(powerOfDrop({ cases: 50, trials: 1, baselineRate: 0.8 }, 0)).toBeLessThan(0.05);
    expect(powerOfDrop({ cases: 4, trials: 100, baselineRate: 1 }, 1)).toBe(0);
    expect(powerOfDrop({ cases: 5, trials: 100, baselineRate: 1 }, 1)).toBe(1);
    expect(powerOfDrop({ cases: 5, trials: 100, baselineRate: 1 }, 0)).toBe(0);
  });

  it("grows with the drop, the cases and the trials, and falls with the spread", () => {
    const design = fc.record({
      cases: fc.integer({ min: 5, max: 400 }),
      trials: fc.integer({ min: 1, max: 20 }),
      baselineRate: fc.constantFrom(0.6, 0.8, 0.95, 1),
    });
    fc.assert(
      fc.property(design, fc.constantFrom(0.05, 0.1, 0.2), (planned, drop) => {
        const power = powerOfDrop(planned, drop);
        fc.pre(power > 0.5);
        expect(powerOfDrop(planned, drop + 0.05)).toBeGreaterThanOrEqual(power - 1e-9);
        expect(powerOfDrop({ ...planned, cases: planned.cases + 1 }, drop)).toBeGreaterThanOrEqual(power - 1e-9);
        expect(powerOfDrop({ ...planned, trials: planned.trials + 1 }, drop)).toBeGreaterThanOrEqual(power - 1e-9);
        expect(powerOfDrop({ ...planned, spread: 0.2 }, drop)).toBeLessThanOrEqual(power + 1e-9);
      }),
    );
  });
});

describe("sizes that find a drop", () => {
  it("needs about the 969 cases of the example in arXiv 2411.00640, section 5", () => {
    // ω² = 1/9, no noise of trials, a difference of 0.03, two-sided 5% or one-sided 2.5%, power 80%.
    const cases = casesToDetect({ trials: 1_000_000, baselineRate: 1, spread: 1 / 3, alpha: 0.025 }, 0.03);
    expect(Math.abs((cases ?? 0) / 969 - 1)).toBeLessThan(0.01);
  });

  it("says the same in every direction", () => {
    const planned = fc.record({
      trials: fc.integer({ min: 1, max: 10 }),
      baselineRate: fc.constantFrom(0.7, 0.9, 1),
      alpha: fc.constantFrom(0.01, 0.05),
    });
    fc.assert(
      fc.property(planned, fc.constantFrom(0.05, 0.1, 0.3), fc.constantFrom(0.6, 0.8, 0.95), (design, drop, power) => {
        const cases = casesToDetect(design, drop, power) ?? Number.NaN;
        expect(powerOfDrop({ ...design, cases }, drop)).toBeGreaterThanOrEqual(power);
        expect(powerOfDrop({ ...design, cases: cases - 1 }, drop)).toBeLessThan(power);
        const smallest = minimumDetectableDrop({ ...design, cases }, power) ?? Number.NaN;
        expect(smallest).toBeLessThanOrEqual(drop + 1e-9);
        expect(powerOfDrop({ ...design, cases }, smallest)).toBeCloseTo(power, 6);
      }),
    );
  });

  it("counts trials, and says when no number of them is enough", () => {
    const design = { cases: 30, baselineRate: 0.9 };
    const trials = trialsToDetect(design, 0.1) ?? Number.NaN;
    expect(powerOfDrop({ ...design, trials }, 0.1)).toBeGreaterThanOrEqual(0.8);
    expect(powerOfDrop({ ...design, trials: trials - 1 }, 0.1)).toBeLessThan(0.8);
    // Where the cases differ as much as this, trials do not help: only more cases do.
    expect(trialsToDetect({ ...design, spread: 0.4 }, 0.1)).toBeNull();
    expect(trialsToDetect({ ...design, cases: 4 }, 0.5)).toBeNull();
    expect(casesToDetect({ trials: 1, baselineRate: 0.9 }, 0)).toBeNull();
    expect(minimumDetectableDrop({ cases: 4, trials: 9, baselineRate: 0.9 })).toBeNull();
  });
});
