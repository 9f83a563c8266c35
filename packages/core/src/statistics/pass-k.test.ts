import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { airlinePasses, reportedPassHatK } from "./__fixtures__/tau-bench-airline.js";
import { passAtK, passHatK } from "./pass-k.js";

const airline = airlinePasses.map((passes) => ({ passes, trials: 4 }));

function meanOf(estimate: (counts: (typeof airline)[number]) => number | null): number {
  return airline.reduce((sum, counts) => sum + (estimate(counts) ?? Number.NaN), 0) / airline.length;
}

/** Which of `size` trials a choice of `k` takes, for all choices. */
function choices(size: number, k: number): number[][] {
  if (k === 0) return [[]];
  if (size < k) return [];
  return [...choices(size - 1, k), ...choices(size - 1, k - 1).map((chosen) => [...chosen, size - 1])];
}

const cases = fc
  .tuple(fc.nat(8), fc.nat(8), fc.integer({ min: 1, max: 8 }))
  .map(([passes, failures, k]) => ({ passes, trials: passes + failures, k }))
  .filter(({ trials, k }) => k <= trials);

describe("pass^k", () => {
  it("gives the figures that τ-bench reports for its airline tasks", () => {
    const figures = [1, 2, 3, 4].map((k) => Number(meanOf((counts) => passHatK(counts, k)).toFixed(3)));
    expect(figures).toEqual(reportedPassHatK);
  });

  it("is the share of all choices of k trials in which all passed", () => {
    fc.assert(
      fc.property(cases, ({ passes, trials, k }) => {
        const all = choices(trials, k);
        const good = all.filter((chosen) => chosen.every((trial) => trial < passes));
        expect(passHatK({ passes, trials }, k)).toBeCloseTo(good.length / all.length, 12);
      }),
    );
  });

  it("is null where there are fewer trials than k", () => {
    expect(passHatK({ passes: 3, trials: 3 }, 4)).toBeNull();
  });
});

describe("pass@k", () => {
  it("is the share of all choices of k trials in which one passed", () => {
    fc.assert(
      fc.property(cases, ({ passes, trials, k }) => {
        const all = choices(trials, k);
        const good = all.filter((chosen) => chosen.some((trial) => trial < passes));
        expect(passAtK({ passes, trials }, k)).toBeCloseTo(good.length / all.length, 12);
      }),
    );
  });

  it("mirrors pass^k of the failures, and meets it at k = 1", () => {
    fc.assert(
      fc.property(cases, ({ passes, trials, k }) => {
        const counts = { passes, trials };
        expect(passAtK(counts, k)).toBeCloseTo(
          1 - (passHatK({ passes: trials - passes, trials }, k) ?? Number.NaN),
          12,
        );
        expect(passAtK(counts, 1)).toBeCloseTo(passes / trials, 12);
        expect(passHatK(counts, 1)).toBeCloseTo(passes / trials, 12);
      }),
    );
  });

  it("stays exact for many trials", () => {
    // 1 − C(190, 100) ÷ C(200, 100) = 1 − (100 · 99 · … · 91) ÷ (200 · 199 · … · 191).
    expect(passAtK({ passes: 10, trials: 200 }, 100)).toBeCloseTo(0.999_228_973_937_282_2, 12);
    expect(passAtK({ passes: 0, trials: 5_000 }, 1_000)).toBe(0);
    expect(passAtK({ passes: 5_000, trials: 5_000 }, 5_000)).toBe(1);
  });

  it("is null where there are fewer trials than k", () => {
    expect(passAtK({ passes: 1, trials: 1 }, 2)).toBeNull();
  });

  it("counts the airline tasks of τ-bench that ever passed", () => {
    expect(meanOf((counts) => passAtK(counts, 4))).toBeCloseTo(36 / 50, 12);
  });
});
