import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pseudoTrialInterval } from "./pseudo-trial-interval.js";

const z = 1.959963984540054;

describe("pseudoTrialInterval", () => {
  it.each([1, 4, 20, 300])("is Agresti and Coull's where all of %d trials come out alike", (trials) => {
    const all = trials + z * z;
    const rate = (trials + (z * z) / 2) / all;
    const half = z * Math.sqrt((rate * (1 - rate)) / all);
    const [low, high] = pseudoTrialInterval({ mean: 1, standardError: 0, quantile: z, worth: trials });
    expect(low).toBeCloseTo(2 * (rate - half) - 1, 12);
    expect(high).toBeCloseTo(Math.min(1, 2 * (rate + half) - 1), 12);
  });

  it("is the plain interval where the trials are many", () => {
    const [low, high] = pseudoTrialInterval({ mean: 0.2, standardError: 0.05, quantile: 3, worth: 1e7 });
    expect(low).toBeCloseTo(0.05, 5);
    expect(high).toBeCloseTo(0.35, 5);
  });

  it("widens with the error, is never of zero width, and holds the mean", () => {
    const known = fc.record({
      mean: fc.double({ min: -1, max: 1, noNaN: true }),
      standardError: fc.double({ min: 0, max: 0.5, noNaN: true }),
      quantile: fc.constantFrom(1.96, 2.26, 12.7),
      worth: fc.double({ min: 1, max: 1_000, noNaN: true }),
    });
    fc.assert(
      fc.property(known, (observed) => {
        const [low, high] = pseudoTrialInterval(observed);
        const [lower, higher] = pseudoTrialInterval({ ...observed, standardError: observed.standardError + 0.1 });
        expect(low).toBeLessThanOrEqual(observed.mean + 1e-12);
        expect(high).toBeGreaterThanOrEqual(observed.mean - 1e-12);
        expect(high - low).toBeGreaterThan(0);
        expect(higher - lower).toBeGreaterThanOrEqual(high - low - 1e-12);
      }),
    );
  });
});
