import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { falseDiscoveryControls, fisherExacts, mcnemarExacts } from "./__fixtures__/scipy-reference.js";
import { benjaminiHochberg } from "./adjust-p-values.js";
import { lowerTail, fisherExact, mcnemarExact } from "./exact-tests.js";
import { isSignificant } from "./is-significant.js";

const counts = fc.tuple(fc.nat(40), fc.nat(40)).map(([passes, failures]) => ({ passes, trials: passes + failures }));

describe("lowerTail", () => {
  const die = (): number => 1;

  it.each([
    [0, 0],
    [1, 1 / 6],
    [4, 4 / 6],
    [6, 1],
    [9, 1],
  ])("of a die at %d is %d", (limit, probability) => {
    expect(lowerTail(1, 6, limit, die)).toBeCloseTo(probability, 14);
  });
});

describe("fisherExact", () => {
  it.each(fisherExacts)("%d of %d, then %d of %d: p = %d", (baselinePasses, baselineTrials, passes, trials, p) => {
    const found = fisherExact({ passes: baselinePasses, trials: baselineTrials }, { passes, trials });
    expect(found / p).toBeCloseTo(1, 9);
  });

  it("counts the observed table on both sides", () => {
    fc.assert(
      fc.property(counts, counts, (baseline, candidate) => {
        const worse = fisherExact(baseline, candidate);
        const better = fisherExact(candidate, baseline);
        for (const p of [worse, better]) {
          expect(p).toBeGreaterThan(0);
          expect(p).toBeLessThanOrEqual(1);
        }
        expect(worse + better).toBeGreaterThan(1 - 1e-12);
      }),
    );
  });

  it("is surer the fewer passes there are", () => {
    fc.assert(
      fc.property(counts, counts, (baseline, candidate) => {
        fc.pre(candidate.passes > 0);
        const fewer = { ...candidate, passes: candidate.passes - 1 };
        expect(fisherExact(baseline, fewer)).toBeLessThanOrEqual(fisherExact(baseline, candidate) + 1e-12);
      }),
    );
  });

  it("goes down to 0 where a probability is too small for a number", () => {
    expect(fisherExact({ passes: 1_000, trials: 1_000 }, { passes: 0, trials: 1_000 })).toBe(0);
  });

  it("says nothing without trials", () => {
    expect(fisherExact({ passes: 0, trials: 0 }, { passes: 0, trials: 5 })).toBe(1);
    expect(fisherExact({ passes: 5, trials: 5 }, { passes: 0, trials: 0 })).toBe(1);
  });
});

describe("mcnemarExact", () => {
  it.each(mcnemarExacts)("%d worse, %d better: p = %d", (worsened, improved, p) => {
    expect(mcnemarExact(worsened, improved) / p).toBeCloseTo(1, 9);
  });

  it("says nothing where nothing changed", () => {
    expect(mcnemarExact(0, 0)).toBe(1);
  });

  it("counts the observed outcome on both sides", () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(60), (worsened, improved) => {
        const both = mcnemarExact(worsened, improved) + mcnemarExact(improved, worsened);
        const changed = worsened + improved;
        let observed = 2 ** -changed;
        for (let index = 0; index < worsened; index += 1) observed *= (changed - index) / (index + 1);
        expect(both).toBeCloseTo(1 + observed, 10);
      }),
    );
  });
});

describe("benjaminiHochberg", () => {
  it.each(falseDiscoveryControls)("%j → %j", (pValues, adjusted) => {
    const found = benjaminiHochberg(pValues);
    expect(found).toHaveLength(adjusted.length);
    found.forEach((p, index) => expect(p).toBeCloseTo(adjusted[index] ?? Number.NaN, 14));
  });

  it("flags what the step-up procedure flags", () => {
    const pValue = fc.integer({ min: 0, max: 1_000 }).map((thousandths) => thousandths / 1_000);
    fc.assert(
      fc.property(fc.array(pValue, { maxLength: 30 }), fc.constantFrom(0.05, 0.1, 0.2), (pValues, rate) => {
        const sorted = pValues.toSorted((a, b) => a - b);
        const last = sorted.findLastIndex((p, index) => isSignificant(p, (rate * (index + 1)) / sorted.length));
        const flagged = pValues.map((p) => last >= 0 && p <= (sorted[last] ?? 0));
        expect(benjaminiHochberg(pValues).map((p) => isSignificant(p, rate))).toEqual(flagged);
      }),
    );
  });

  it("has nothing to adjust without tests", () => {
    expect(benjaminiHochberg([])).toEqual([]);
  });
});

describe("isSignificant", () => {
  it("does not let the last bits decide where p equals the level", () => {
    expect(isSignificant(fisherExact({ passes: 3, trials: 3 }, { passes: 0, trials: 3 }), 0.05)).toBe(true);
    expect(isSignificant(0.1 + 0.2, 0.3)).toBe(true);
    expect(isSignificant(0.0501, 0.05)).toBe(false);
  });
});
